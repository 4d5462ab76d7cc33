"""How work that takes long tells how far it is; for whatever cares for a store."""

from collections.abc import Callable

Advance = Callable[[str, int, int], None]
"""Takes what is worked on, how much of it is done, and how much there is."""
