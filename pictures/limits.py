"""What a picture may be: bounds that hold before anything is decoded."""

MAX_SIDE = 8000
"""Pixels; no board is larger."""
MAX_FILE_BYTES = 64 * 1024 * 1024
MAX_COUNTED_BYTES = 4 * 1024 * 1024
"""Of an animation whose frames are counted, to tell their number; one of 60 MB took 27 s."""
MAX_SCANS = 64
"""Passes of a progressive JPEG: a few bytes each ask for work on every pixel; 10 are usual."""
