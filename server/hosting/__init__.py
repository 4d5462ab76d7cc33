"""Which games there are, and which of them run: they are founded, opened and closed here."""
