"""Blobs on S3 keep the contract, on a real peer."""

from dataclasses import replace

import pytest

from persistence.aws.clients import Clients
from persistence.ports import Store
from tests.contract.blobs_contract import BlobsContract
from tests.support.memory_store import open_memory
from tests.support.s3 import blobs_on


@pytest.fixture
def store(s3_clients: Clients) -> Store:
    return replace(open_memory(), blobs=blobs_on(s3_clients))


class TestBlobs(BlobsContract):
    pass
