from canvas.events import PixelPlaced
from canvas.requests import KEPT_MS, KEPT_REQUESTS, Requests


def placed(
    seq: int, user: str = "a", request: int | None = 7, index: int = 0, at_ms: int = 1000
) -> PixelPlaced:
    return PixelPlaced(seq, at_ms, 1, 2, 3, 0, 0, 0, 15, user, "key", request, index, 0)


def test_identity_request_and_index_are_the_key() -> None:
    requests = Requests()
    requests.add(placed(1))
    requests.add(placed(2, index=5))
    requests.add(placed(3, index=6))
    assert requests.lookup("a", 7, 0, 1000) == placed(1)
    assert requests.lookup("a", 7, 5, 1000) == placed(2, index=5)
    assert requests.lookup("a", 7, 6, 1000) == placed(3, index=6)
    for user, request, index in [("b", 7, 0), ("a", 8, 0), ("a", 7, 1)]:
        assert requests.lookup(user, request, index, 1000) is None


def test_a_placement_without_a_number_is_not_remembered() -> None:
    requests = Requests()
    requests.add(placed(1, request=None))
    assert len(requests) == 0


def test_sixteen_requests_are_kept_with_all_their_records() -> None:
    requests = Requests()
    for number in range(KEPT_REQUESTS + 1):
        for index in range(64):
            requests.add(placed(64 * number + index, request=number, index=index))
    assert all(requests.lookup("a", 0, index, 1000) is None for index in range(64))
    for number in range(1, KEPT_REQUESTS + 1):
        assert all(requests.lookup("a", number, index, 1000) for index in range(64))


def test_ten_minutes_are_kept() -> None:
    requests = Requests()
    requests.add(placed(1, at_ms=1000))
    assert requests.lookup("a", 7, 0, 1000 + KEPT_MS - 1) == placed(1)
    assert requests.lookup("a", 7, 0, 1000 + KEPT_MS) is None


def test_the_silent_are_forgotten_and_the_others_not() -> None:
    requests = Requests()
    requests.add(placed(1, "a", 1, at_ms=0))
    requests.add(placed(2, "b", 2, at_ms=0))
    requests.add(placed(3, "b", 3, at_ms=500))
    assert (requests.forget_expired(KEPT_MS, 9), len(requests)) == (1, 1)
    assert requests.lookup("b", 3, 0, KEPT_MS) is not None
    assert requests.forget_expired(KEPT_MS + 499, 9) == 0
    assert (requests.forget_expired(KEPT_MS + 500, 9), len(requests)) == (1, 0)


def test_identities_are_bounded() -> None:
    requests = Requests(max_identities=3)
    for number in range(10):
        requests.add(placed(number, f"user{number}"))
    assert len(requests) == 3
    assert requests.lookup("user9", 7, 0, 1000) is not None
    assert requests.lookup("user0", 7, 0, 1000) is None


def test_the_last_one_up_to_a_seq() -> None:
    requests = Requests()
    requests.add(placed(1, request=5))
    requests.add(placed(4, request=6))
    requests.add(placed(6, request=5, index=1))
    assert requests.last("a", 9, 1000) == placed(6, request=5, index=1)
    assert requests.last("a", 5, 1000) == placed(4, request=6)
    assert requests.last("a", 0, 1000) is None
    assert requests.last("a", 9, 1000 + KEPT_MS) is None
    assert requests.last("b", 9, 1000) is None


def test_what_is_dumped_up_to_a_seq_is_taken_back() -> None:
    requests, again = Requests(), Requests()
    for event in [placed(3, "b"), placed(1), placed(2, index=1), placed(4, request=8)]:
        requests.add(event)
    again.restore(list(row) for row in requests.dump(3)())
    assert sorted(again.dump(9)()) == [
        tuple(placed(1)),
        tuple(placed(2, index=1)),
        tuple(placed(3, "b")),
    ]
