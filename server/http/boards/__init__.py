"""Boards over HTTP: packed, as pictures and for link previews, with what they cost."""
