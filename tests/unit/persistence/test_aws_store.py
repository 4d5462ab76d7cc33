"""Opening the AWS store: how long it is tried, what is told meanwhile, and what ends it at once."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError, NoCredentialsError

from persistence.aws.store import PATIENCE, _until_it_answers
from persistence.dynamodb.admin import definition
from persistence.dynamodb.lease_record import LeaseTime
from persistence.dynamodb.names import TableNames
from persistence.errors import PermanentFault, StoreError, TransientFault
from persistence.opening import OpeningEvents
from persistence.tables import ALL
from tests.support.memory_store import MemoryBlobs

NAMES = TableNames("tesserae", "dev")
AWAY = EndpointConnectionError(endpoint_url="http://127.0.0.1:1")
TABLES = {NAMES.of(table): definition(table, NAMES.of(table)) for table in ALL}


@dataclass
class Peer:
    """DynamoDB as far as a look at its tables goes; its clock moves as it is waited for."""

    faults: list[Exception] = field(default_factory=list)
    status: str = "ACTIVE"
    now: float = 0.0
    told: list[tuple[StoreError, float]] = field(default_factory=list)

    async def describe_table(self, *, TableName: str) -> dict[str, Any]:  # noqa: N803
        if self.faults:
            raise self.faults.pop(0)
        table = TABLES[TableName]
        mode = {"BillingModeSummary": {"BillingMode": table["BillingMode"]}}
        return {"Table": {**table, **mode, "TableStatus": self.status}}

    async def describe_time_to_live(self, *, TableName: str) -> dict[str, Any]:  # noqa: N803
        return {"TimeToLiveDescription": {"TimeToLiveStatus": f"DISABLED {TableName}"}}

    async def sleep(self, seconds: float) -> None:
        self.now += seconds

    async def open(self) -> None:
        await _until_it_answers(
            SimpleNamespace(lease=self),  # type: ignore[arg-type]  # the one client it uses
            NAMES,
            MemoryBlobs(),
            LeaseTime(lambda: self.now, lambda: 0, self.sleep),
            OpeningEvents(
                lambda fault, left: self.told.append((fault, left)),
                lambda holder, _: pytest.fail(holder),
                lambda fault: pytest.fail(str(fault)),
            ),
        )


async def test_a_store_that_answers_is_opened_at_once() -> None:
    peer = Peer()
    await peer.open()
    assert (peer.now, peer.told) == (0.0, [])


async def test_one_that_comes_back_is_waited_for() -> None:
    peer = Peer([AWAY] * 3)
    await peer.open()
    assert len(peer.told) == 3
    assert all(fault.hint for fault, _ in peer.told)
    lefts = [left for _, left in peer.told]
    assert lefts == sorted(lefts, reverse=True)


async def test_one_that_stays_away_is_given_up() -> None:
    peer = Peer([AWAY] * 100)
    with pytest.raises(TransientFault) as given_up:
        await peer.open()
    assert "endpoint's URL" in given_up.value.hint
    assert PATIENCE <= peer.now < PATIENCE + 5


async def test_what_waiting_cannot_mend_ends_it_at_once() -> None:
    peer = Peer([NoCredentialsError()])
    with pytest.raises(PermanentFault) as ended:
        await peer.open()
    assert "AWS_PROFILE" in ended.value.hint
    assert (peer.now, peer.told) == (0.0, [])


@pytest.mark.parametrize("status", ["CREATING", "DELETING"])
async def test_tables_that_are_not_there_yet_or_any_more_are_named(status: str) -> None:
    with pytest.raises(PermanentFault, match=f"tesserae-dev-history: is {status}"):
        await Peer(status=status).open()


async def test_tables_that_are_being_changed_serve() -> None:
    await Peer(status="UPDATING").open()
