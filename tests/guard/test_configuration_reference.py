"""The reference page of the configuration says what the table of settings says."""

from server.config.render import to_markdown
from tests.support.source import ROOT

PAGE = ROOT / "docs" / "reference" / "configuration.md"


def test_the_reference_is_up_to_date() -> None:
    remedy = "run: tesserae config reference > docs/reference/configuration.md"
    assert PAGE.read_text(encoding="utf-8") == to_markdown(), remedy
