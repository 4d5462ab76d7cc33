"""Tables and history in one SQLite file: the embedded store's."""
