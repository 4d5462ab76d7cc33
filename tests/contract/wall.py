"""The wall clock of the contract's stores: a number that the test moves."""


class Wall:
    def __init__(self, ms: int) -> None:
        self.ms = ms

    def __call__(self) -> int:
        return self.ms
