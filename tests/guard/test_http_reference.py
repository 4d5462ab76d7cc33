"""The reference of the HTTP API says what the registry says, and names its numbers rightly."""

from pictures.limits import MAX_SCALE
from server.config import Settings
from server.http.boards import costs, preview
from server.http.cors import PREFLIGHT_S
from tests.support.source import read
from tests.support.write_http_reference import page

PAGE = read("docs/reference/http.md")


def test_the_reference_is_up_to_date() -> None:
    assert page() == PAGE, "run: python -m tests.support.write_http_reference"


def test_the_numbers_that_the_page_names() -> None:
    settings = Settings()
    for told in (
        f"{settings.http_burst} credits, of which {settings.http_rate} come back each second",
        f"one credit for each {costs.BYTES_PER_CREDIT // 1024} KB",
        f"each {costs.PIXELS_PER_CREDIT:,} pixels",
        f"a preview {costs.PREVIEW}",
        f"1 to {MAX_SCALE}",
        f"{preview.WIDTH} \N{MULTIPLICATION SIGN} {preview.HEIGHT}",
        f"{PREFLIGHT_S // 60} minutes",
    ):
        assert told in PAGE, told
