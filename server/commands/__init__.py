"""The command registry: one small module for each command, served over WebSocket and HTTP."""
