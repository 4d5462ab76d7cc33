"""Everybody who is connected: the live sessions, presence, and how many watch."""
