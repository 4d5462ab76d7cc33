"""Who of the plan is who: every client by its number, and which of them prove a board; pure.

Owns the numbering, by which each process takes its share. Called by the worker.
"""

from collections.abc import Iterator
from typing import NamedTuple

from bots.load.plan import Part, Plan


class Seat(NamedTuple):
    """One client of the plan."""

    number: int
    part: Part
    place: int
    """In its part."""
    proves: bool


def seats(plan: Plan) -> Iterator[Seat]:
    """Number all clients, so that each process gets its share of each part.

    Provers are spread over those who are there at the end.
    """
    there = sum(part.count for part in plan.parts if part.stays_to(plan.seconds))
    provers = min(plan.provers, there)
    number = able = 0
    for part in plan.parts:
        stays = part.stays_to(plan.seconds)
        for place in range(part.count):
            proves = stays and (able + 1) * provers // there > able * provers // there
            yield Seat(number, part, place, proves)
            number += 1
            able += stays
