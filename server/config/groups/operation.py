"""Settings: what operators see, and how the process ends."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, SecretStr

from server.config.about import About
from server.config.values import Accepts, Listen, Number

GROUP = "Operation"


class Operation(BaseModel):
    """The group Operation."""

    admin_listen: Annotated[
        Listen | None,
        Accepts("HOST:PORT, such as 127.0.0.1:9090 or [::1]:9090"),
        About(
            GROUP,
            "A port of its own for /metrics, /healthz and /readyz, without TLS; /metrics is gone "
            "from the public port then.",
            "HOST:PORT",
        ),
    ] = None
    metrics_token: Annotated[
        SecretStr | None,
        Field(min_length=16),
        Accepts("at least 16 characters"),
        About(
            GROUP,
            "Bearer token that opens /metrics to others than this machine itself.",
            "TEXT",
        ),
    ] = None
    log_format: Annotated[
        Literal["text", "json"], About(GROUP, "Form of the log.", "text|json")
    ] = "text"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        About(GROUP, "Least level that is logged.", "debug|info|warning|error"),
    ] = "info"
    stop_deadline: Annotated[
        Number,
        Field(gt=0, le=600),
        About(
            GROUP,
            "Seconds within which a stop is finished.",
            "S",
            "Orchestrators kill after 30.",
        ),
    ] = 25.0
