"""Importing a picture from the command line: what it would do, and doing it without a server."""
