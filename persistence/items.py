"""What a write means for an item: keys, conditions and updates, the same in every adapter.

Pure: no store, no clock. Adapters that cannot hand conditions to their store (SQLite, the tests'
memory store) call these inside their own transaction.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from persistence.errors import ConditionFailed, PermanentFault
from persistence.ports import Condition, Index, Item, Key, Put, Step, Table, Update
from persistence.values import check_integer, check_set, check_values, decoded, encoded

MAX_ITEM_BYTES = 400 * 1024
"""The largest item of any store: DynamoDB's bound, kept by all so that data can move."""
MAX_TRANSACTION_WRITES = 100
"""The most writes of one transaction, for the same reason."""
MAX_PARTITION_BYTES = 2048
MAX_SORT_BYTES = 1024
LAST_CHAR = "\U0010ffff"
"""No character, so in no key: a prefix and this sort after all that begin with the prefix."""
_NOTHING = object()


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


def check_item(table: Table, attributes: Mapping[str, Any]) -> None:
    """Raise PermanentFault for values that not every store can hold, or that no index can order.

    `attributes` are a whole item, or those that an update sets.
    """
    check_values(attributes)
    for index in table.indexes:
        for name, kind in ((index.partition, "S"), (index.sort, index.sort_type)):
            if name in attributes and not _is_of(kind, attributes[name]):
                raise PermanentFault(
                    f"{name} is {attributes[name]!r:.80}: the index {index.name} cannot order it",
                    "give a number" if kind == "N" else "give a text that is not empty",
                )


def _is_of(kind: str, value: Any) -> bool:
    return is_number(value) if kind == "N" else _is_text(value, MAX_SORT_BYTES)


def is_number(value: Any) -> bool:
    """Return whether a value is a number, which true is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def target_of(write: Step) -> Key:
    """Return the key that a write is about. Raises PermanentFault when it is none."""
    return key_of(write.table, write.item) if isinstance(write, Put) else checked_key(write.key)


def check_transaction(writes: Sequence[Step]) -> None:
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
    return (
        not any(name in present for name in condition.absent)
        and all(_same(present.get(name, _NOTHING), v) for name, v in condition.equals.items())
        and all(_at_least(present.get(name), v) for name, v in condition.at_least.items())
        and all(_at_least(v, present.get(name)) for name, v in condition.at_most.items())
    )


def check_filter(condition: Condition, keys: Iterable[str]) -> None:
    """Raise PermanentFault for a filter on keys, or on being there, which no query takes."""
    named = {*condition.equals, *condition.absent, *condition.at_least, *condition.at_most}
    if condition.exists is not None or named & set(keys):
        raise PermanentFault(
            f"a filter on {', '.join(sorted(named & set(keys))) or 'whether an item exists'}",
            "filter by attributes that are no keys; keys are bounds of the query",
        )


def _same(stored: Any, wanted: Any) -> bool:
    """Compare as JSON does, where true is not 1."""
    return bool(stored == wanted) and isinstance(stored, bool) == isinstance(wanted, bool)


def _at_least(greater: Any, less: Any) -> bool:
    return is_number(greater) and is_number(less) and bool(greater >= less)


def updated(update: Update, item: Item | None) -> Item:
    """Return what `update` makes of `item` (None: there is none yet). Raises PermanentFault."""
    table, key = update.table, update.key
    check_update(update)
    result: Item = dict(item) if item is not None else {table.partition: key[0], table.sort: key[1]}
    result.update(update.set)
    for name in update.remove:
        result.pop(name, None)
    for name, amount in update.add.items():
        result[name] = _sum(name, result[name], amount) if name in result else amount
    for name, members in update.discard.items():
        if left := _strings(name, result.pop(name, frozenset())) - members:
            result[name] = left
    return result


def check_update(update: Update) -> None:
    """Raise PermanentFault when `update` names an attribute twice, or a key, or adds nothing."""
    names = [*update.set, *update.remove, *update.add, *update.discard]
    if len(set(names)) < len(names):
        raise PermanentFault("an update names one attribute twice", "name each attribute once")
    if update.table.partition in names or update.table.sort in names:
        raise PermanentFault("an update cannot change a key", "delete the item and put a new one")
    for amount in update.add.values():
        if isinstance(amount, frozenset):
            check_set(amount)
        else:
            check_integer(amount)
    for members in update.discard.values():
        check_set(members)


def _sum(name: str, value: Any, amount: int | frozenset[str]) -> Any:
    if isinstance(amount, frozenset):
        return _strings(name, value) | amount
    if is_number(value):
        return value + amount
    raise PermanentFault(f"{name} is no number, so nothing can be added", "set it first")


def _strings(name: str, value: Any) -> frozenset[str]:
    if isinstance(value, frozenset):
        return value
    raise PermanentFault(f"{name} is no set of strings", "remove it first, or set it to one")


def cursor_at(key: Key) -> str:
    """Return what goes on with a scan after an item."""
    return encoded(list(key)).decode()


def key_at(cursor: str) -> Key:
    """Return the key of the item after which a scan goes on. Raises PermanentFault."""
    try:
        partition, sort = decoded(cursor.encode())
        return checked_key(Key(partition, sort))
    except (ValueError, TypeError) as error:
        raise PermanentFault(
            f"{cursor!r:.200} is no cursor of a scan", "give what the page before gave"
        ) from error


def index_cursor(table: Table, index: Index, item: Item) -> str:
    """Return what goes on with a query of an index after an item."""
    return encoded([item[index.sort], *key_of(table, item)]).decode()


def index_place(index: Index, cursor: str) -> tuple[Any, Key]:
    """Return the sort attribute and the key after which a query of an index goes on.

    Raises PermanentFault.
    """
    try:
        sort, partition, key_sort = decoded(cursor.encode())
    except (ValueError, TypeError):
        sort, partition, key_sort = None, "", ""
    if not _is_of(index.sort_type, sort):
        raise PermanentFault(
            f"{cursor!r:.200} is no cursor of {index.name}", "give what the page before gave"
        )
    return sort, checked_key(Key(partition, key_sort))


def is_empty_range(index: Index, at_least: Any, at_most: Any) -> bool:
    """Return whether nothing can lie between. Raises PermanentFault for bounds of a wrong type."""
    bounds = [bound for bound in (at_least, at_most) if bound is not None]
    for bound in bounds:
        if not (is_number(bound) if index.sort_type == "N" else isinstance(bound, str)):
            raise PermanentFault(
                f"{bound!r:.80} is no bound of {index.name}",
                f"{index.sort} is a {'number' if index.sort_type == 'N' else 'text'}",
            )
    return at_most == "" or (None not in (at_least, at_most) and bool(at_least > at_most))
