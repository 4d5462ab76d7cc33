"""The JSON form of version 1: pixels and bands as text, for clients without a binary decoder.

Owns these two events; acks and everything else are JSON in both forms and live in events.py.
Called by the hub, which builds a frame once for all connections of this codec.
"""

from binascii import b2a_base64
from typing import Any

import numpy as np
import orjson

from canvas.records import split
from server.wire.codec import Stream
from server.wire.frames import text_frame
from server.wire.json_text import event_frame

RAW, RAW_DEFLATE = "raw", "deflate-raw"
"""Names of a band's encodings, as the browser's DecompressionStream spells them."""


class JsonV1:
    """Subprotocol `tesserae.v1.json`, and what speaks to a client that offered none."""

    subprotocol: str | None = "tesserae.v1.json"

    def pixels(
        self,
        stream: Stream,
        generation: int,
        first: int,
        last: int,
        records: bytes,
        *,
        conflated: bool = False,
    ) -> bytes:
        """Encode the event `pixels`."""
        event: dict[str, Any] = {
            "event": "pixels",
            "game": stream.game,
            "generation": generation,
            "first": first,
            "last": last,
        }
        if conflated:
            event["conflated"] = True
        event["pixels"] = _triples(records)
        return text_frame(orjson.dumps(event, option=orjson.OPT_SERIALIZE_NUMPY))

    def band(
        self,
        stream: Stream,
        generation: int,
        seq: int,
        first_row: int,
        rows: int,
        payload: bytes,
        *,
        deflated: bool,
    ) -> bytes:
        """Encode the event `band`."""
        return event_frame(
            "band",
            game=stream.game,
            generation=generation,
            seq=seq,
            firstRow=first_row,
            rows=rows,
            encoding=RAW_DEFLATE if deflated else RAW,
            data=b2a_base64(payload, newline=False).decode("ascii"),
        )


JSON_V1 = JsonV1()


def _triples(records: bytes) -> Any:
    return np.stack(split(np.frombuffer(records, dtype="<u4")), axis=1)
