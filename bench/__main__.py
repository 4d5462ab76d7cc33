"""Runs the benchmarks that are named (all without a name), one after the other, with progress."""

import sys
import time
from importlib import import_module

from bench.results import Result, write_table

NAMES = (
    *("imports", "startup", "core", "store", "latency", "durable", "memory", "recovery"),
    *("kill", "painting", "http", "fanout", "crowd", "joining", "soak", "aws"),
    "presence",
)


def main(names: list[str]) -> int:
    """Run, save and show; exit 2 for an unknown name."""
    unknown = set(names) - set(NAMES)
    if unknown:
        print(f"There is no benchmark {', '.join(sorted(unknown))}; choose from {', '.join(NAMES)}")
        return 2
    for name in names or NAMES:
        started = time.monotonic()
        print(f"{name} ...", flush=True)
        result: Result = import_module(f"bench.{name}").run()
        result.save()
        for row in result.rows:
            reached = {None: "", True: "reached", False: "NOT reached"}[row.met]
            goal = "" if row.goal is None else f"(goal {row.goal:,g})"
            print(f"  {row.what}: {row.value:,.3f} {row.unit} {goal} {reached}")
        print(f"  took {time.monotonic() - started:.0f} s", flush=True)
    write_table()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
