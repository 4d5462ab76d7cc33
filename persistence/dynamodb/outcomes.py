"""What a condition that did not hold means: a rival, our own lost answer, or a remnant.

Pure. A call is tried again by the library when its answer is lost, so that a condition that did not
hold may be our own write's doing: what lies there then decides.
"""

from dataclasses import replace

from persistence.dynamodb.items import Attributes, decoded_item, encoded_attributes
from persistence.dynamodb.writes import NOTHING, expired
from persistence.errors import TransientFault
from persistence.items import holds, updated
from persistence.ports import Check, Condition, Delete, Item, Put, Step, Update

_CONTENDED = "others write the same item; it is tried again by itself"


def ours(write: Step, stored: Attributes | None) -> bool:
    """Return whether `stored` is what `write` made. Raises TransientFault when nobody can know."""
    match write:
        case Delete():
            return stored is None
        case Put():
            return stored is not None and decoded_item(stored) == _as_read(write.item)
        case Update():
            return stored is not None and _made_by(write, decoded_item(stored))
        case Check():
            return False


def revived(write: Step, stored: Attributes | None, now_s: int) -> Put | None:
    """Return the put to do instead of an update that met a remnant; None when it met none."""
    if not isinstance(write, Update) or not expired(write.table, stored, now_s):
        return None
    if not holds(write.condition or NOTHING, None):
        return None
    return Put(write.table, updated(write, None), Condition(exists=False))


def contended(place: str) -> TransientFault:
    """Return the fault of a write that lost to others again and again."""
    return TransientFault(f"table {place}: an item is changed all the time", _CONTENDED)


def _as_read(item: Item) -> Item:
    return decoded_item(encoded_attributes(item))


def _made_by(update: Update, stored: Item) -> bool:
    """Compare with what the update makes of an item for which its condition held."""
    condition = update.condition or NOTHING
    if not _sets_are_as_wished(update, stored):
        return False
    numbers = {name: n for name, n in update.add.items() if not isinstance(n, frozenset)}
    sets = {*update.add, *update.discard} - numbers.keys()
    before = {name: value for name, value in condition.equals.items() if name not in sets}
    unknown = [name for name in numbers if name not in before and name not in condition.absent]
    if unknown and condition.exists is not False:
        raise TransientFault(
            f"nobody can know whether {', '.join(unknown)} was added to",
            "state in the condition what the number was",
        )
    after = updated(replace(update, add=numbers, discard={}), before)
    gone = {*condition.absent, *update.remove} - set(after) - sets
    expected = _as_read(after)
    return stored == stored | expected and not gone & set(stored)


def _sets_are_as_wished(update: Update, stored: Item) -> bool:
    """Tell by what lies there: adding a member twice, or taking it out twice, is the same."""

    def members(name: str) -> frozenset[str]:
        value = stored.get(name)
        return value if isinstance(value, frozenset) else frozenset()

    added = {name: wish for name, wish in update.add.items() if isinstance(wish, frozenset)}
    return all(wish <= members(name) for name, wish in added.items()) and not any(
        wish & members(name) for name, wish in update.discard.items()
    )
