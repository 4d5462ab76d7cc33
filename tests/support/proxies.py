"""Real proxies before a server in a test: the project's own example configurations, on loopback.

Only hosts, ports and certificates are exchanged. A proxy is ended by its pid.
"""

import asyncio
import re
import shutil
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.certificates import Pair
from tests.support.sockets import WAIT_S
from tests.support.source import read

NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {site}
}}
"""
CADDY = """
{{
	admin off
	auto_https disable_redirects
	skip_install_trust
}}
{site}
"""


class Proxy(NamedTuple):
    """A proxy that runs."""

    name: str
    port: int


def free_port() -> int:
    """A port that nobody has in this moment."""
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        return int(other.getsockname()[1])


@asynccontextmanager
async def proxy(
    name: str,
    to_port: int,
    pair: Pair,
    folder: Path,
    change: Callable[[str], str] = lambda site: site,
) -> AsyncIterator[Proxy]:
    """Run one before a server; skips the test where it is not installed."""
    program = shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
    if program is None:
        pytest.skip(f"{name} is not installed")
    port = free_port()
    make = {"nginx": _nginx, "caddy": _caddy}[name]
    words = make(folder, change, port, to_port, pair)
    process = await asyncio.create_subprocess_exec(
        program, *words, env={"HOME": str(folder)}, stderr=asyncio.subprocess.PIPE
    )
    try:
        await _until_it_listens(process, port)
        yield Proxy(name, port)
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(WAIT_S):
            await process.communicate()


def _nginx(
    folder: Path, change: Callable[[str], str], port: int, to_port: int, pair: Pair
) -> list[str]:
    site = re.sub(r"(?m)^ *listen \[::\].*\n", "", read("deploy/nginx.conf"))
    site = site.replace("listen 80;", f"listen 127.0.0.1:{free_port()};")
    site = site.replace("listen 443 ", f"listen 127.0.0.1:{port} ")
    site = site.replace("127.0.0.1:8080", f"127.0.0.1:{to_port}")
    site = site.replace("/etc/ssl/canvas.example/fullchain.pem", str(pair.cert))
    site = site.replace("/etc/ssl/canvas.example/privkey.pem", str(pair.key))
    file = folder / "nginx.conf"
    file.write_text(NGINX.format(folder=folder, site=change(site)))
    return ["-c", str(file), "-p", str(folder)]


def _caddy(
    folder: Path, change: Callable[[str], str], port: int, to_port: int, pair: Pair
) -> list[str]:
    site = read("deploy/Caddyfile").replace("127.0.0.1:8080", f"127.0.0.1:{to_port}")
    own = f"https://127.0.0.1:{port} {{\n\ttls {pair.cert} {pair.key}"
    file = folder / "Caddyfile"
    file.write_text(CADDY.format(site=change(site).replace("canvas.example {", own)))
    return ["run", "--adapter", "caddyfile", "--config", str(file)]


async def _until_it_listens(process: asyncio.subprocess.Process, port: int) -> None:
    async with asyncio.timeout(WAIT_S):
        while process.returncode is None:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                return
    _, said = await process.communicate()
    pytest.fail(f"the proxy ended at once: {said.decode()}")
