"""Checking a store: every item and blob read, history replayed, all of it held together."""
