"""Where an installation keeps its data: home folder, database, keys; and its version."""
