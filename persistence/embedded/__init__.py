"""The embedded store: one data directory with a SQLite file, blobs and a lock."""
