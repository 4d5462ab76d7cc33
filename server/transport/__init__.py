"""The door: one port for HTTP and WebSocket, and the bytes of every connection."""
