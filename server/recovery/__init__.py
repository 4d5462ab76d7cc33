"""From the store to a running game, and the snapshots that keep that short."""
