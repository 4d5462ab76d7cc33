"""A write as DynamoDB takes it: expressions for conditions and updates, with placeholders.

Pure. An item past its time may still lie there for days, yet counts as absent: conditions say so,
and an update of such a remnant is refused by a guard, for the caller to put a new item instead.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from persistence.dynamodb.items import (
    Attributes,
    Value,
    encoded_attributes,
    encoded_key,
    encoded_value,
)
from persistence.dynamodb.names import TableNames
from persistence.items import check_item, check_update, target_of
from persistence.ports import Check, Condition, Delete, Key, Put, Step, Table, Update

NOTHING = Condition()


class Request(NamedTuple):
    """One write: its name in a transaction, and its arguments, there and as a call of its own."""

    kind: str
    arguments: dict[str, Any]


class Expressions:
    """The names and values of one request, under placeholders that no reserved word can meet."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, Value] = {}

    def name(self, attribute: str) -> str:
        """Return a placeholder for an attribute."""
        return self.names.setdefault(attribute, f"#n{len(self.names)}")

    def value(self, value: Any) -> str:
        """Return a placeholder for a value."""
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = encoded_value(value)
        return placeholder

    def arguments(self) -> dict[str, Any]:
        """Return what the request says about placeholders."""
        arguments: dict[str, Any] = {}
        if self.names:
            arguments["ExpressionAttributeNames"] = {
                placeholder: name for name, placeholder in self.names.items()
            }
        if self.values:
            arguments["ExpressionAttributeValues"] = self.values
        return arguments


def request_of(write: Step, names: TableNames, now_s: int) -> Request:
    """Return `write` as of `now_s`. Raises PermanentFault for what cannot be stored."""
    key = target_of(write)
    expressions = Expressions()
    arguments: dict[str, Any] = {"TableName": names.of(write.table)}
    match write:
        case Put():
            check_item(write.table, write.item)
            arguments["Item"] = encoded_attributes(write.item)
        case Update():
            check_update(write)
            check_item(write.table, write.set)
            arguments["Key"] = encoded_key(write.table, *key)
            if changes := _changes(write, expressions):
                arguments["UpdateExpression"] = changes
        case Delete() | Check():
            arguments["Key"] = encoded_key(write.table, *key)
    if condition := _condition(write, expressions, now_s):
        arguments["ConditionExpression"] = condition
        arguments["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    kind = "ConditionCheck" if isinstance(write, Check) else type(write).__name__
    return Request(kind, arguments | expressions.arguments())


def alive(table: Table, expressions: Expressions, now_s: int) -> str:
    """Return the expression for an item whose time is not over; empty when there is no time."""
    if table.ttl is None:
        return ""
    name, now = expressions.name(table.ttl), expressions.value(now_s)
    return f"(attribute_not_exists({name}) OR NOT {name} <= {now})"


def expired(table: Table, attributes: Attributes | None, now_s: int) -> bool:
    """Return whether what was found is a remnant."""
    if table.ttl is None or attributes is None:
        return False
    expires_s = attributes.get(table.ttl, {}).get("N")
    return expires_s is not None and float(expires_s) <= now_s


def key_in(table: Table, attributes: Attributes) -> Key:
    """Return the key of an item as DynamoDB has it."""
    return Key(attributes[table.partition]["S"], attributes[table.sort]["S"])


def _changes(update: Update, expressions: Expressions) -> str:
    encoded_attributes(dict(update.set))
    sets = [f"{expressions.name(n)} = {expressions.value(v)}" for n, v in update.set.items()]
    removes = [expressions.name(name) for name in update.remove]
    adds = [f"{expressions.name(n)} {expressions.value(v)}" for n, v in update.add.items()]
    gone = [f"{expressions.name(n)} {expressions.value(v)}" for n, v in update.discard.items()]
    clauses = (("SET", sets), ("REMOVE", removes), ("ADD", adds), ("DELETE", gone))
    return " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses if parts)


def _condition(write: Step, expressions: Expressions, now_s: int) -> str:
    condition = write.condition or NOTHING
    parts = list(conditions(write.table, condition, expressions))
    if write.table.ttl is None or (write.condition is None and not isinstance(write, Update)):
        return " AND ".join(parts)
    living = alive(write.table, expressions, now_s)
    if isinstance(write, Update) or not _holds_for_nothing(condition):
        return " AND ".join([*parts, living])
    return f"({' AND '.join(parts)}) OR NOT {living}" if parts else ""


def _holds_for_nothing(condition: Condition) -> bool:
    bounds = condition.equals or condition.at_least or condition.at_most
    return condition.exists is not True and not bounds


def conditions(table: Table, condition: Condition, expressions: Expressions) -> Iterator[str]:
    """Yield an expression for each thing that must hold."""
    if condition.exists is not None:
        function = "attribute_exists" if condition.exists else "attribute_not_exists"
        yield f"{function}({expressions.name(table.partition)})"
    for name in condition.absent:
        yield f"attribute_not_exists({expressions.name(name)})"
    for name, value in condition.equals.items():
        yield f"{expressions.name(name)} = {expressions.value(value)}"
    for name, least in condition.at_least.items():
        yield f"{expressions.name(name)} >= {expressions.value(least)}"
    for name, most in condition.at_most.items():
        yield f"{expressions.name(name)} <= {expressions.value(most)}"
