"""What a picture may be: bounds that hold before anything is decoded."""

MAX_SIDE = 8000
"""Pixels; no board is larger."""
MAX_FILE_BYTES = 64 * 1024 * 1024
