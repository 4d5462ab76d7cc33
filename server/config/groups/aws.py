"""Settings: where the AWS store is, and how the right to write to it is taken.

Credentials are none of them: those come from the usual chain of AWS (a role, a profile, variables),
so that they are on no command line and in no file of ours.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from server.config.about import About
from server.config.values import Accepts, Number, ServiceAddress

GROUP = "AWS store"
MAX_NAME_CHARS = 100
NAME = rf"^[A-Za-z0-9_.-]{{1,{MAX_NAME_CHARS}}}$"
NAME_FORM = Accepts(f"1 to {MAX_NAME_CHARS} of a-z, A-Z, 0-9, '_', '-' and '.'")
SERVICE_FORM = Accepts("an address that begins with https:// or http://, without a user in it")


class AwsStoring(BaseModel):
    """The group AWS store."""

    stage: Annotated[
        str,
        Field(pattern=NAME),
        NAME_FORM,
        About(
            GROUP,
            "Stage whose tables are used: PREFIX-STAGE and PREFIX-STAGE-history are two.",
            "NAME",
        ),
    ] = "dev"
    table_prefix: Annotated[
        str, Field(pattern=NAME), NAME_FORM, About(GROUP, "How the tables' names begin.", "NAME")
    ] = "tesserae"
    bucket: Annotated[
        str | None,
        Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$"),
        Accepts("3 to 63 of a-z, 0-9, '.' and '-', at its ends a letter or digit"),
        About(GROUP, "S3 bucket of this stage, for no other one.", "NAME"),
    ] = None
    region: Annotated[
        str | None,
        Field(pattern=r"^[a-z0-9-]{1,63}$"),
        Accepts("a region's name, such as eu-central-1"),
        About(GROUP, "Region of the tables and the bucket; else what AWS_REGION says.", "NAME"),
    ] = None
    endpoint_url_dynamodb: Annotated[
        ServiceAddress | None,
        SERVICE_FORM,
        About(GROUP, "Where DynamoDB is asked instead of AWS.", "URL", "For a local stand-in."),
    ] = None
    endpoint_url_s3: Annotated[
        ServiceAddress | None,
        SERVICE_FORM,
        About(GROUP, "Where S3 is asked instead of AWS.", "URL", "For a local stand-in."),
    ] = None
    lease: Annotated[
        Literal["wait", "fail"],
        About(
            GROUP,
            "While another server writes to the store: wait for it to go, or fail.",
            "wait|fail",
            "A deployment then starts the next server before it stops the last one.",
        ),
    ] = "wait"
    lease_time: Annotated[
        Number,
        Field(ge=2, le=300),
        Accepts("a number from 2 to 300"),
        About(
            GROUP,
            "Seconds after which a server that went silent may be replaced. Renewed every third.",
            "S",
            "Shorter ones end sooner after a crash, and in the network's every hiccup.",
        ),
    ] = 10.0
