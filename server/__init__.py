"""The canvas server: door, sessions, commands, games, and the stream to everybody who watches."""

__version__ = "0.1.0"
