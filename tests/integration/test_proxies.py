"""Behind the proxies of the how-to, with the configurations that it shows: nginx and Caddy."""

import re
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from tesserae_client import Client, Placed

from server.config.values import read_networks
from tests.support.certificates import Pair, make_pair
from tests.support.foreign import dialled
from tests.support.proxies import Proxy, proxy
from tests.support.serving import serving

pytestmark = pytest.mark.integration

BEHIND: dict[str, Any] = {"trusted_proxies": read_networks("127.0.0.1/32")}
BOTH = pytest.mark.parametrize("name", ["nginx", "caddy"])


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    """A certificate of the proxy, believed by clients of this test."""
    pair = make_pair(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(pair.cert))
    return pair


async def fetched(before: Proxy, pair: Pair, path: str) -> tuple[int, str]:
    url = f"https://127.0.0.1:{before.port}/{path}"
    async with ClientSession() as session, session.get(url, ssl=pair.trusting()) as answer:
        return answer.status, await answer.text()


@BOTH
async def test_the_page_and_a_player(name: str, pair: Pair, tmp_path: Path) -> None:
    async with serving(**BEHIND) as room, proxy(name, room.port, pair, tmp_path) as before:
        status, page = await fetched(before, pair, "")
        assert status == 200
        assert "<!doctype html>" in page.lower()
        assert (await fetched(before, pair, "readyz"))[0] == 200
        assert (await fetched(before, pair, "metrics"))[0] == 404
        own = {"Origin": f"https://127.0.0.1:{before.port}"}
        url = f"wss://127.0.0.1:{before.port}/ws"
        async with dialled(url, headers=own) as browser:
            await browser.play()
        async with Client(url) as client:
            await client.ready()
            assert isinstance(await client.place(3, 4, 5), Placed)
            assert await client.verify()


@BOTH
async def test_c68_each_player_counts_by_the_own_address(
    name: str, pair: Pair, tmp_path: Path
) -> None:
    """One connection an address: told by the proxy, whatever the client says of itself."""
    limits = {**BEHIND, "max_connections_per_address": 1}
    async with serving(**limits) as room, proxy(name, room.port, pair, tmp_path) as before:
        url = f"wss://127.0.0.1:{before.port}/ws"
        forged = {"X-Forwarded-For": "203.0.113.9"}
        async with (
            dialled(url, local_addr=("127.0.0.2", 0)) as first,
            dialled(url, local_addr=("127.0.0.3", 0)) as other,
            dialled(url, local_addr=("127.0.0.2", 0), headers=forged, greeted=False) as second,
        ):
            await first.play()
            await other.play()
            _, code = await second.end()
            assert code == 4103


async def test_below_a_path(pair: Pair, tmp_path: Path) -> None:
    """Every address in the page is relative: a prefix that the proxy takes away is no trouble."""

    def below(site: str) -> str:
        return re.sub(
            r"location / \{\s+proxy_pass (\S+);", r"location /canvas/ { proxy_pass \1/;", site
        )

    async with (
        serving(**BEHIND) as room,
        proxy("nginx", room.port, pair, tmp_path, below) as before,
    ):
        status, page = await fetched(before, pair, "canvas/")
        assert status == 200
        linked = re.findall(r'(?:href|src)="([^"#]+)"', page)
        assert len(linked) > 5
        for address in linked:
            assert (await fetched(before, pair, f"canvas/{address}"))[0] == 200
        async with dialled(f"wss://127.0.0.1:{before.port}/canvas/ws") as player:
            await player.play()
