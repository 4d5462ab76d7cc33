from server.transport.lobby import Lobby


class FakeDoor:
    def __init__(self) -> None:
        self.expired = 0

    def expire(self) -> None:
        self.expired += 1


def test_time_is_up_in_the_order_of_coming() -> None:
    lobby = Lobby(capacity=10, timeout_ms=100)
    doors = [FakeDoor() for _ in range(3)]
    for number, door in enumerate(doors):
        lobby.enter(door, 50 * number)
    lobby.sweep(99)
    assert len(lobby) == 3
    lobby.sweep(150)
    assert [door.expired for door in doors] == [1, 1, 0]
    lobby.sweep(1000)
    lobby.sweep(2000)
    assert [door.expired for door in doors] == [1, 1, 1]
    assert len(lobby) == 0


def test_when_full_the_longest_waiting_goes() -> None:
    lobby = Lobby(capacity=2, timeout_ms=100)
    doors = [FakeDoor() for _ in range(4)]
    for door in doors:
        lobby.enter(door, 0)
    assert [door.expired for door in doors] == [1, 1, 0, 0]
    assert len(lobby) == 2


def test_who_left_does_not_expire() -> None:
    lobby = Lobby(capacity=2, timeout_ms=100)
    door, other = FakeDoor(), FakeDoor()
    lobby.enter(door, 0)
    lobby.enter(other, 0)
    lobby.leave(door)
    lobby.leave(door)
    lobby.clear()
    assert (door.expired, other.expired) == (0, 1)
