"""Settings: where it listens, and who may connect from elsewhere."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from server.config.about import ADDRESSES_FORM, About, Port
from server.config.values import CorsOrigins, Networks, OnOff, Origins

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
    tls_cert: Annotated[
        Path | None,
        About(
            GROUP,
            "Certificate in PEM form, then its chain. With it and --tls-key the port speaks TLS: "
            "https and wss.",
            "FILE",
            "SIGHUP reads both files again for those who connect after it; nobody is cut.",
        ),
    ] = None
    tls_key: Annotated[
        Path | None, About(GROUP, "Private key of the certificate, without a password.", "FILE")
    ] = None
    origins: Annotated[
        Origins,
        About(
            GROUP,
            "Origins of other pages that may open a WebSocket or change something by the API; the "
            "server's own host always may.",
            "ORIGIN,…",
        ),
    ] = ()
    cors_origins: Annotated[
        CorsOrigins,
        About(
            GROUP,
            "Origins of other pages that may read the API. To change anything by it, a page has "
            "to be of the server's own host or of --origins.",
            "ORIGIN,…",
            "What the API tells, everybody may read; there are no cookies that a page could abuse.",
        ),
    ] = ("*",)
    origin_required: Annotated[
        OnOff,
        About(
            GROUP,
            "Refuse handshakes, and changes by the API, without an Origin header.",
            "on|off",
            "Bots send none, and their tokens protect them; browsers always send one.",
        ),
    ] = False
    trusted_proxies: Annotated[
        Networks,
        About(
            GROUP,
            "Networks of the proxies whose X-Forwarded-For and X-Forwarded-Proto are believed.",
            "CIDR,…",
            "Believing anybody would let every client choose its own address.",
        ),
    ] = ()
