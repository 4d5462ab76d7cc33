"""The HTTP side: the page, health, metrics and the read-only API."""
