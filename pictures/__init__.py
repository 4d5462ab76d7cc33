"""Pictures as cells and cells as pictures: reading, matching to a palette, drawing.

Knows no game, no store and no file format of its own: Pillow reads and writes. Used by the command
line, by HTTP and by the bots.
"""
