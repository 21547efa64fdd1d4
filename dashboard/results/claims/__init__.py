"""The claims of a recipe beside what its experiment measured."""
