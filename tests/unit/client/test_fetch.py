"""A board by HTTP: the address is found, the headers are read, trouble is OSError or BadFrame."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from tesserae_client.errors import BadFrame
from tesserae_client.fetch import fetch_canvas, http_url
from tesserae_client.snapshot import SnapshotHead

HEADERS = {"Epoch": "e1", "Seq": "5", "Generation": "1", "Width": "3", "Height": "1"}


@pytest.fixture
def site():
    """Serve one board at /canvas.bin, one without headers at /bare, and nothing else."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(404 if self.path == "/nothing" else 200)
            for name, value in HEADERS.items() if self.path == "/canvas.bin" else ():
                self.send_header(f"Tesserae-{name}", value)
            self.end_headers()
            self.wfile.write(b"\x12\x3f")

        def log_message(self, *_):
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


async def test_a_board_and_its_position(site):
    head, packed = await fetch_canvas(f"{site}/canvas.bin")
    assert head == SnapshotHead("e1", 5, 1, 3, 1, 0, None)
    assert packed == b"\x12\x3f"


async def test_trouble(site):
    with pytest.raises(OSError, match="404"):
        await fetch_canvas(f"{site}/nothing")
    with pytest.raises(BadFrame):
        await fetch_canvas(f"{site}/bare")
    with pytest.raises(OSError, match="no HTTP address"):
        await fetch_canvas("file:///etc/hostname")


@pytest.mark.parametrize(
    ("ws_url", "path", "expected"),
    [
        (
            "ws://h:1/ws",
            "/api/games/place%23main/canvas.bin",
            "http://h:1/api/games/place%23main/canvas.bin",
        ),
        ("wss://h/ws", "https://cdn/canvas.bin", "https://cdn/canvas.bin"),
        ("wss://h/ws", "/c", "https://h/c"),
    ],
)
def test_where_it_is(ws_url, path, expected):
    assert http_url(ws_url, path) == expected
