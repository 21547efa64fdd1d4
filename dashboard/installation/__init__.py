"""Where an installation keeps its things: home folder, database, version."""
