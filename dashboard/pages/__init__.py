"""What people and programs see: forms, pages, the API, in a package per topic."""
