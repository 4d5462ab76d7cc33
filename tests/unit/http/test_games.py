"""`/api/games` and the states in it."""

import pytest

from server.phase import Phase
from tests.support.http import BOARD, Site


async def test_all_games_and_one(site: Site) -> None:
    await site.place((1, 1, 4))
    (state,) = (await site.get("api/games")).json()["games"]
    assert (state["game"], state["seq"], state["width"]) == ("place#main", 1, 7)
    assert "resume" not in state
    assert (await site.get(BOARD)).json() == state


async def test_an_unknown_game_is_a_problem_with_a_remedy(site: Site) -> None:
    answer = await site.get("api/games/place")
    assert answer.status == 404
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert "%23" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["api/games", BOARD, f"{BOARD}/canvas.bin", f"{BOARD}/canvas.png"])
async def test_c25_before_recovery_ends_there_is_no_board(site: Site, path: str) -> None:
    vars(site.world.phase).update(vars(Phase()))
    answer = await site.get(path)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "2")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_other_methods_are_not_allowed(site: Site, method: str) -> None:
    answer = await site.get("api/limits", method=method)
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD")


async def test_every_response_closes_its_connection(site: Site) -> None:
    for path in ("", "api/games", "nothing", "healthz"):
        assert (await site.get(path)).headers["Connection"] == "close"


async def test_a_fault_of_ours_is_a_problem_and_logged_once(site: Site) -> None:
    site.world.game.replica.lineage = None  # type: ignore[assignment]
    answer = await site.get(BOARD)
    assert (answer.status, answer.json()["title"]) == (500, "Internal Server Error")
    assert len(site.world.faults) == 1
    site.world.faults.clear()
