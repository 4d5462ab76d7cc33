"""The Python client of the Tesserae canvas server."""
