"""Copying a store into another one through the ports: gone on with, compared, then let serve."""
