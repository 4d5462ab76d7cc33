"""Settings: where it listens, and who may connect from elsewhere."""

from typing import Annotated

from pydantic import BaseModel, Field

from server.config.about import ADDRESSES_FORM, About, Port
from server.config.values import Networks, OnOff, Origins

GROUP = "Listening"


class Listening(BaseModel):
    """The group Listening."""

    host: Annotated[
        str,
        Field(min_length=1, max_length=255),
        ADDRESSES_FORM,
        About(
            GROUP,
            "Address to listen on.",
            "HOST",
            "A laptop shows nothing to its network unless asked; 0.0.0.0 or :: listens everywhere.",
        ),
    ] = "127.0.0.1"
    port: Annotated[
        Port, About(GROUP, "TCP port to listen on; 0 lets the system choose one.", "PORT")
    ] = 8080
    origins: Annotated[
        Origins,
        About(
            GROUP,
            "Origins of other pages that may open a WebSocket; the server's own host always may.",
            "ORIGIN,…",
        ),
    ] = ()
    origin_required: Annotated[
        OnOff,
        About(
            GROUP,
            "Refuse handshakes without an Origin header.",
            "on|off",
            "Bots send none, and their tokens protect them; browsers always send one.",
        ),
    ] = False
    trusted_proxies: Annotated[
        Networks,
        About(
            GROUP,
            "Networks of the proxies whose X-Forwarded-For is believed.",
            "CIDR,…",
            "Believing anybody would let every client choose its own address.",
        ),
    ] = ()
