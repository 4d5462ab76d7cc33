"""Scripted players on the client library."""
