"""A game's decisions: the one writer, its committer, its config, and its rows of history."""
