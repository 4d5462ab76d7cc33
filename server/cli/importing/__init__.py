"""`tesserae canvas import`: its steps, what it would do, and both ways of doing it."""
