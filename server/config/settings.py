"""Every setting of the server, each declared once: type, bounds, default, help and reason.

Flags, environment variables, TOML keys, the reference page and the error texts are derived from
these declarations (table.py); each group is a file in groups/. The value is frozen and handed down
from the composition root; nobody changes it after start. It reads no file and no environment:
that is load.py's.
"""

from pydantic import ConfigDict

from server.config.groups.aws import AwsStoring
from server.config.groups.canvas import Canvas
from server.config.groups.hosting import Hosting
from server.config.groups.identity import Identities
from server.config.groups.limits import Limits
from server.config.groups.listening import Listening
from server.config.groups.operation import Operation
from server.config.groups.store import Storing
from server.config.groups.stream import Streaming


class Settings(
    Operation, Streaming, Limits, Identities, Hosting, Canvas, AwsStoring, Storing, Listening
):
    """The whole configuration; `given` tells what somebody set from what is a default."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=False)

    def given(self, name: str) -> bool:
        """Whether somebody set this, rather than the default standing."""
        return name in self.model_fields_set
