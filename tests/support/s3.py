"""Blobs on S3 for tests: clients of a peer, and its one bucket, which each test finds empty."""

from contextlib import AbstractAsyncContextManager, suppress

from persistence.aws.clients import AwsSettings, Client, Clients, open_clients
from persistence.s3.blobs import S3Blobs

BUCKET = "contract"


def s3_clients_of(url: str) -> AbstractAsyncContextManager[Clients]:
    """The clients of a peer."""
    return open_clients(AwsSettings("eu-central-1", endpoint_url_s3=url))


async def empty_bucket(client: Client) -> None:
    """Make the bucket, or empty it: a bucket of its own for each test would fill the peer."""
    with suppress(client.exceptions.BucketAlreadyOwnedByYou):
        await client.create_bucket(
            Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
        )
    page = await client.list_objects_v2(Bucket=BUCKET)
    for entry in page.get("Contents", []):
        await client.delete_object(Bucket=BUCKET, Key=entry["Key"])


def blobs_on(clients: Clients, bucket: str = BUCKET) -> S3Blobs:
    """The port; each is a writer of its own."""
    return S3Blobs(clients.bulk, clients.bulk_s3, bucket)
