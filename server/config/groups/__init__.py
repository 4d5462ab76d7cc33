"""The settings by group: each file declares the fields of one, settings.py joins them."""
