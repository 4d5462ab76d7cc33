"""What a condition that did not hold means: a rival, our own lost answer, or a remnant.

Pure. A call is tried again by the library when its answer is lost, so that a condition that did not
hold may be our own write's doing: what lies there then decides.
"""

from typing import Any

from persistence.dynamodb.items import Attributes, decoded_item, encoded_attributes
from persistence.dynamodb.writes import NOTHING, expired
from persistence.errors import TransientFault
from persistence.items import holds, updated
from persistence.ports import Condition, Delete, Item, Put, Update, Write

_CONTENDED = "others write the same item; it is tried again by itself"


def ours(write: Write, stored: Attributes | None) -> bool:
    """Return whether `stored` is what `write` made. Raises TransientFault when nobody can know."""
    match write:
        case Delete():
            return stored is None
        case Put():
            return stored is not None and decoded_item(stored) == _as_read(write.item)
        case Update():
            return stored is not None and _made_by(write, decoded_item(stored))


def revived(write: Write, stored: Attributes | None, now_s: int) -> Put | None:
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
    before: dict[str, Any] = dict(condition.equals)
    unknown = [name for name in update.add if name not in before and name not in condition.absent]
    if unknown and condition.exists is not False:
        raise TransientFault(
            f"nobody can know whether {', '.join(unknown)} was added to",
            "state in the condition what the number was",
        )
    after = updated(update, before)
    gone = {*condition.absent, *update.remove} - set(after)
    expected = _as_read(after)
    return stored == stored | expected and not gone & set(stored)
