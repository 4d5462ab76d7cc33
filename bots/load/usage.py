"""CPU and memory of the server's process, and CPU of the whole machine, as Linux tells them.

Owns the reading of /proc; for a process id that is not there it raises ValueError, which says what
helps. Called by the crowd, once a second.
"""

import os
from pathlib import Path

_AFTER_NAME = ") "
_STATE, _USER, _SYSTEM, _PAGES = 0, 11, 12, 21
"""Fields of `stat` behind the name: state, ticks of user and system time, resident pages."""
_DEAD = "Z"
"""A process that is gone, of which its parent has not heard yet."""
_IDLE, _WAITING, _COUNTED = 3, 4, 8
"""Ticks without work in the first line of /proc/stat; those behind the eighth are counted twice."""


class Usage:
    """One process."""

    def __init__(self, process_id: int) -> None:
        self._file = Path(f"/proc/{process_id}/stat")
        self._tick_s = 1 / os.sysconf("SC_CLK_TCK") if self._file.exists() else 0.0
        if not self._tick_s:
            where = "no such process" if Path("/proc/self/stat").exists() else "there is no /proc"
            raise ValueError(
                f"{where}; give the id of the server's process on this machine (Linux)"
            )
        self._before: tuple[float, float] | None = None

    def look(self, now_s: float) -> tuple[float | None, int | None]:
        """Return the CPU since the last look (1.0 is a core) and the memory in bytes; None: gone.

        The CPU is None at the first look, too.
        """
        try:
            fields = self._file.read_text().rpartition(_AFTER_NAME)[2].split()
        except OSError:
            fields = [_DEAD]
        if fields[_STATE] == _DEAD:
            self._before = None
            return None, None
        cpu_s = (int(fields[_USER]) + int(fields[_SYSTEM])) * self._tick_s
        before, self._before = self._before, (now_s, cpu_s)
        share = None if before is None else (cpu_s - before[1]) / max(1e-9, now_s - before[0])
        return share, int(fields[_PAGES]) * os.sysconf("SC_PAGE_SIZE")


class Machine:
    """All cores together: who is slow because others take the CPU is not slow."""

    def __init__(self, file: Path = Path("/proc/stat")) -> None:
        self._file = file
        self._before: tuple[int, int] | None = None

    def look(self) -> float | None:
        """Return the busy share of all cores since the last look; None at the first, or unknown."""
        try:
            words = self._file.read_text().split(maxsplit=_COUNTED + 1)
        except OSError:
            return None
        ticks = [int(word) for word in words[1 : _COUNTED + 1]]
        now = (sum(ticks), ticks[_IDLE] + ticks[_WAITING])
        before, self._before = self._before, now
        if before is None or now[0] <= before[0]:
            return None
        return max(0.0, 1 - (now[1] - before[1]) / (now[0] - before[0]))
