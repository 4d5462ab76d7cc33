"""One connection: who it is, what it may, and the way of its messages."""
