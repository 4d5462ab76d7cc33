"""Epochs: what clients go by to know that a board's numbers are still the same story.

Owns how one looks. Called wherever a game is founded, restored, copied or begun anew.
"""

from random import Random

EPOCH_BYTES = 8


def new_epoch(chance: Random) -> str:
    """Return an epoch that no game ever had."""
    return chance.randbytes(EPOCH_BYTES).hex()
