"""Friendly names for guests: 1,600 pairs of an adjective and an animal.

Names may repeat; ids do not. Chance is an argument. Called by auth.py alone.
"""

import random

# fmt: off
ADJECTIVES = (
    "Amber", "Bold", "Brave", "Bright", "Calm", "Clever", "Cosy", "Eager", "Early", "Fleet",
    "Gentle", "Glad", "Golden", "Happy", "Honest", "Jolly", "Keen", "Kind", "Lively", "Lucky",
    "Mellow", "Merry", "Nimble", "Noble", "Patient", "Plucky", "Proud", "Quick", "Quiet", "Rosy",
    "Silver", "Snowy", "Sunny", "Swift", "Tidy", "Velvet", "Warm", "Wise", "Witty", "Zesty",
)
ANIMALS = (
    "Badger", "Beaver", "Bison", "Crane", "Dolphin", "Falcon", "Ferret", "Finch", "Fox", "Gecko",
    "Hare", "Hedgehog", "Heron", "Ibis", "Kestrel", "Koala", "Lemur", "Lynx", "Magpie", "Marten",
    "Mole", "Moose", "Newt", "Otter", "Owl", "Panda", "Puffin", "Quail", "Rabbit", "Raven",
    "Robin", "Seal", "Sparrow", "Squirrel", "Stoat", "Swan", "Tapir", "Toad", "Vole", "Wren",
)
# fmt: on


def guest_name(chance: random.Random) -> str:
    """Draw a name, such as `Quiet Otter`."""
    return f"{chance.choice(ADJECTIVES)} {chance.choice(ANIMALS)}"
