"""A clock that stands still until a test moves it."""


class FakeClock:
    """Both clocks of `server.clock.Clock`, moved by hand."""

    def __init__(self, monotonic_ms: int = 1_000_000, wall_ms: int = 1_700_000_000_000) -> None:
        self._monotonic_ms = monotonic_ms
        self._wall_ms = wall_ms

    def monotonic_ms(self) -> int:
        return self._monotonic_ms

    def wall_ms(self) -> int:
        return self._wall_ms

    def precise(self) -> float:
        return self._monotonic_ms / 1000

    def advance(self, ms: int) -> None:
        """Let time pass on both clocks."""
        self._monotonic_ms += ms
        self._wall_ms += ms

    def jump_wall(self, ms: int) -> None:
        """Set the wall clock forward or back; the monotonic one does not notice."""
        self._wall_ms += ms
