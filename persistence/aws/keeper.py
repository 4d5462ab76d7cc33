"""The tables of one stage as commands look after them, on a client of their own.

Composes dynamodb/admin.py to the port `TableKeeper`. Opens neither the store nor its bucket, since
what is to be made is not there yet. Called by the composition root.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from persistence.aws.clients import AwsSettings, Client, open_client
from persistence.dynamodb.admin import create, describe
from persistence.dynamodb.names import TableNames
from persistence.shapes import Found, Progress, TableKeeper


class DynamoKeeper:
    """The `TableKeeper` port."""

    def __init__(self, client: Client, names: TableNames) -> None:
        self._client = client
        self._names = names

    async def describe(self) -> list[Found]:
        """Look at every table."""
        return await describe(self._client, self._names)

    async def create(self, progress: Progress) -> list[str]:
        """Make what is missing and return the names of the tables that were made or completed."""
        return await create(self._client, self._names, progress=progress)


@asynccontextmanager
async def open_keeper(place: AwsSettings, names: TableNames) -> AsyncIterator[TableKeeper]:
    """Open the keeper of a stage's tables. Raises PermanentFault: no region, no profile."""
    async with open_client("dynamodb", place) as client:
        yield DynamoKeeper(client, names)
