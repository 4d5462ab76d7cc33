"""Answers that no Tesserae server gives: told as such, never as a fault of ours."""

from typing import Any

import pytest

from server.cli.importing.online import Remote
from server.cli.remote import RemoteServer, ServerError


@pytest.mark.parametrize("answer", [b"<html>", b"\xff", b"[]", b"7", b"{}", b'{"width": 1e9}'])
def test_what_is_no_board_is_told(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(*_: Any, **__: Any) -> bytes:
        return answer

    monkeypatch.setattr(RemoteServer, "ask", ask)
    with pytest.raises(ServerError, match="http://there is no server that can be imported into"):
        Remote("http://there", "a.b.c").target("place#main")
