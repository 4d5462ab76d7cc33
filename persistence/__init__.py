"""Where things are kept: ports, their adapters, and wrappers around the ports.

Yields snapshot bytes and ordered items; knows no rules and imports no other room.
"""
