"""What a write means for an item: keys, conditions and updates, the same in every adapter.

Pure: no store, no clock. Adapters that cannot hand conditions to their store (SQLite, the tests'
memory store) call these inside their own transaction.
"""

from collections.abc import Sequence
from typing import Any

import orjson

from persistence.errors import ConditionFailed, PermanentFault
from persistence.ports import Condition, Item, Key, Put, Table, Update, Write

MAX_ITEM_BYTES = 400 * 1024
"""The largest item of any store: DynamoDB's bound, kept by all so that data can move."""
MAX_TRANSACTION_WRITES = 100
"""The most writes of one transaction, for the same reason."""
MAX_PARTITION_BYTES = 2048
MAX_SORT_BYTES = 1024
LAST_CHAR = "\U0010ffff"
"""No character, so in no key: a prefix and this sort after all that begin with the prefix."""
_JSON = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def key_of(table: Table, item: Item) -> Key:
    """Return where `item` belongs. Raises PermanentFault when its keys are missing or no keys."""
    return checked_key(Key(item.get(table.partition, ""), item.get(table.sort, "")))


def checked_key(key: Key) -> Key:
    """Return `key` when a store can hold it: text, not empty, within DynamoDB's sizes."""
    if _is_text(key.partition, MAX_PARTITION_BYTES) and _is_text(key.sort, MAX_SORT_BYTES):
        return key
    raise PermanentFault(
        f"{tuple(key)!r:.200} is no key",
        f"a key is two texts without NUL of 1 to {MAX_PARTITION_BYTES} and {MAX_SORT_BYTES} bytes",
    )


def encoded(value: Item | Sequence[Item]) -> bytes:
    """Return JSON. Raises PermanentFault for what is no JSON value."""
    try:
        return orjson.dumps(value, option=_JSON)
    except TypeError as error:
        raise PermanentFault(
            f"an item cannot be stored: {error}", "items are plain JSON values"
        ) from error


def encoded_item(item: Item) -> bytes:
    """Return one item as JSON. Raises PermanentFault, also when it is too large."""
    content = encoded(item)
    if len(content) > MAX_ITEM_BYTES:
        raise PermanentFault(
            f"an item of {len(content)} bytes", f"{MAX_ITEM_BYTES} is the most; split it"
        )
    return content


def _is_text(part: Any, max_bytes: int) -> bool:
    if not isinstance(part, str) or "\0" in part:
        return False
    if part.isascii():
        return 0 < len(part) <= max_bytes
    try:
        return len(part.encode()) <= max_bytes and LAST_CHAR not in part
    except UnicodeEncodeError:
        return False


def target_of(write: Write) -> Key:
    """Return the key that a write is about. Raises PermanentFault when it is none."""
    return key_of(write.table, write.item) if isinstance(write, Put) else checked_key(write.key)


def check_transaction(writes: Sequence[Write]) -> None:
    """Raise PermanentFault when no store could do `writes` as one transaction."""
    if len(writes) > MAX_TRANSACTION_WRITES:
        raise PermanentFault(
            f"{len(writes)} writes in one transaction",
            f"split it: {MAX_TRANSACTION_WRITES} is the most",
        )
    targets = {(write.table.name, target_of(write)) for write in writes}
    if len(targets) < len(writes):
        raise PermanentFault(
            "one transaction writes an item twice", "merge the two writes into one"
        )


def require(condition: Condition | None, item: Item | None, key: Key) -> None:
    """Raise ConditionFailed unless `condition` holds for `item` (None: there is none)."""
    if condition is not None and not holds(condition, item):
        raise ConditionFailed(f"the condition on {key.partition} / {key.sort} did not hold")


def holds(condition: Condition, item: Item | None) -> bool:
    """Return whether `condition` holds for `item` (None: there is none)."""
    if condition.exists is not None and condition.exists != (item is not None):
        return False
    present = item or {}
    return not any(name in present for name in condition.absent) and all(
        name in present and _same(present[name], value) for name, value in condition.equals.items()
    )


def _same(stored: Any, wanted: Any) -> bool:
    """Compare as JSON does, where true is not 1."""
    return bool(stored == wanted) and isinstance(stored, bool) == isinstance(wanted, bool)


def updated(update: Update, item: Item | None) -> Item:
    """Return what `update` makes of `item` (None: there is none yet). Raises PermanentFault."""
    table, key = update.table, update.key
    check_update(update)
    result: Item = dict(item) if item is not None else {table.partition: key[0], table.sort: key[1]}
    result.update(update.set)
    for name in update.remove:
        result.pop(name, None)
    for name, amount in update.add.items():
        result[name] = _number(name, result.get(name, 0)) + amount
    return result


def check_update(update: Update) -> None:
    """Raise PermanentFault when `update` names an attribute twice, or a key."""
    names = [*update.set, *update.remove, *update.add]
    if len(set(names)) < len(names):
        raise PermanentFault("an update names one attribute twice", "name each attribute once")
    if update.table.partition in names or update.table.sort in names:
        raise PermanentFault("an update cannot change a key", "delete the item and put a new one")


def _number(name: str, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PermanentFault(f"{name} is no number, so nothing can be added", "set it first")
    return value


def cursor_at(key: Key) -> str:
    """Return what goes on with a scan after an item."""
    return orjson.dumps(list(key)).decode()


def key_at(cursor: str) -> Key:
    """Return the key of the item after which a scan goes on. Raises PermanentFault."""
    try:
        partition, sort = orjson.loads(cursor)
        return checked_key(Key(partition, sort))
    except (ValueError, TypeError) as error:
        raise PermanentFault(
            f"{cursor!r:.200} is no cursor of a scan", "give what the page before gave"
        ) from error
