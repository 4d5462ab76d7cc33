"""CPU and memory of the server's process, as Linux tells them.

Owns the reading of /proc for one process id; raises ValueError, which says what helps. Called by
the crowd, once a second.
"""

import os
from pathlib import Path

_AFTER_NAME = ") "
_USER, _SYSTEM, _PAGES = 11, 12, 21
"""Fields of `stat` behind the name: ticks of user and system time, resident pages."""


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
            self._before = None
            return None, None
        cpu_s = (int(fields[_USER]) + int(fields[_SYSTEM])) * self._tick_s
        before, self._before = self._before, (now_s, cpu_s)
        share = None if before is None else (cpu_s - before[1]) / max(1e-9, now_s - before[0])
        return share, int(fields[_PAGES]) * os.sysconf("SC_PAGE_SIZE")
