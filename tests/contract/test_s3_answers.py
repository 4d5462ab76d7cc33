"""S3's answers get lost, refuse, break off; two writers want one object: it stays the newest.

What is put with conditions is read back when nobody can know what became of it.
"""

import asyncio

import pytest

from persistence.aws.clients import Clients
from persistence.errors import LeaseLost, PermanentFault, StoreDamaged, TransientFault
from persistence.s3.blobs import S3Blobs
from tests.contract.blobs_contract import KEY
from tests.support.answers import Answers
from tests.support.aws_proxy import AwsProxy
from tests.support.s3 import blobs_on, s3_clients_of
from tests.support.seaweedfs import STRANGER


@pytest.fixture
def s3_endpoint(s3_proxy: AwsProxy) -> str:
    return s3_proxy.url


@pytest.fixture
def blobs(s3_clients: Clients) -> S3Blobs:
    return blobs_on(s3_clients)


@pytest.fixture
def puts(s3_proxy: AwsProxy) -> Answers:
    return Answers(s3_proxy, "PUT")


def written(fence: int, seq: int) -> dict[str, str]:
    return {"fence": str(fence), "seq": str(seq), "crc32": "7"}


async def stored(blobs: S3Blobs) -> tuple[bytes, str]:
    blob = await blobs.get(KEY)
    assert blob is not None
    return blob.data, blob.metadata["fence"]


async def test_who_was_overtaken_changes_nothing(s3_clients: Clients) -> None:
    old, new = blobs_on(s3_clients), blobs_on(s3_clients)
    await old.put(KEY, b"1", written(1, 1), fenced=True)
    await new.put(KEY, b"2", written(2, 1), fenced=True)
    for writer in (old, blobs_on(s3_clients)):
        with pytest.raises(LeaseLost) as lost:
            await writer.put(KEY, b"3", written(1, 2), fenced=True)
        assert "fence 2" in str(lost.value)
        assert lost.value.hint
    await new.put(KEY, b"4", written(2, 2), fenced=True)
    assert await stored(new) == (b"4", "2")


async def test_of_many_writers_at_once_the_highest_fence_stays(s3_clients: Clients) -> None:
    writers = [blobs_on(s3_clients) for _ in range(4)]
    puts = [
        writer.put(KEY, b"%d" % fence, written(fence, 1), fenced=True)
        for fence, writer in enumerate(writers, 1)
    ]
    outcomes = await asyncio.gather(*puts, return_exceptions=True)
    assert outcomes[-1] is None
    assert all(outcome is None or isinstance(outcome, LeaseLost) for outcome in outcomes)
    assert await stored(writers[0]) == (b"4", "4")


async def test_a_put_whose_answer_was_lost_has_won(blobs: S3Blobs, puts: Answers) -> None:
    for seq in (1, 2):
        puts.lose()
        await blobs.put(KEY, b"%d" % seq, written(1, seq), fenced=True)
        assert puts.sent == 2 * seq
    await blobs.put(KEY, b"3", written(1, 3), fenced=True)
    assert await stored(blobs) == (b"3", "1")


async def test_after_only_lost_answers_the_next_put_finds_its_place(
    blobs: S3Blobs, puts: Answers
) -> None:
    await blobs.put(KEY, b"1", written(1, 1), fenced=True)
    puts.lose(times=100)
    with pytest.raises(TransientFault):
        await blobs.put(KEY, b"2", written(1, 2), fenced=True)
    puts.mend()
    await blobs.put(KEY, b"3", written(1, 3), fenced=True)
    assert await stored(blobs) == (b"3", "1")


async def test_a_conflict_is_tried_again(blobs: S3Blobs, puts: Answers) -> None:
    await blobs.put(KEY, b"1", written(1, 1), fenced=True)
    puts.refuse("ConditionalRequestConflict", times=2, status=409)
    await blobs.put(KEY, b"2", written(1, 2), fenced=True)
    assert puts.sent == 1 + 3
    puts.refuse("ConditionalRequestConflict", times=100, status=409)
    with pytest.raises(TransientFault) as refused:
        await blobs.put(KEY, b"3", written(1, 3), fenced=True)
    assert refused.value.hint
    assert await stored(blobs) == (b"2", "1")


async def test_a_body_that_breaks_off_is_read_again(blobs: S3Blobs, s3_proxy: AwsProxy) -> None:
    await blobs.put(KEY, b"whole", {})
    gets = Answers(s3_proxy, "GET")
    gets.cut()
    blob = await blobs.get(KEY)
    assert blob is not None
    assert blob.data == b"whole"
    gets.cut(times=3)
    with pytest.raises(TransientFault) as refused:
        await blobs.get(KEY)
    assert KEY in str(refused.value)
    assert gets.sent == 2 + 3


async def test_a_body_that_is_not_what_was_put_is_damage(
    blobs: S3Blobs, s3_proxy: AwsProxy
) -> None:
    await blobs.put(KEY, b"whole", {})
    Answers(s3_proxy, "GET").alter(lambda body: body[::-1], times=3)
    with pytest.raises(StoreDamaged) as damaged:
        await blobs.get(KEY)
    assert damaged.value.hint


async def test_lists_more_than_a_page(blobs: S3Blobs, s3_clients: Clients) -> None:
    keys = [f"canvas/archive/{number}.bin" for number in range(5)]
    for key in keys:
        await blobs.put(key, b"", {})
    s3_clients.bulk_s3.meta.events.register(
        "before-parameter-build.s3.ListObjectsV2", lambda params, **_: params.update(MaxKeys=2)
    )
    assert await blobs.list("canvas/archive/") == keys


@pytest.mark.parametrize(
    ("code", "status", "remedy"),
    [
        ("AccessDenied", 403, "--bucket"),
        ("PermanentRedirect", 301, "--region"),
        ("AuthorizationHeaderMalformed", 400, "--region"),
        ("ExpiredToken", 400, "token"),
    ],
)
async def test_what_cannot_succeed_is_told_with_its_remedy(
    blobs: S3Blobs, puts: Answers, code: str, status: int, remedy: str
) -> None:
    puts.refuse(code, times=100, status=status)
    with pytest.raises(PermanentFault) as refused:
        await blobs.put(KEY, b"x", written(1, 1), fenced=True)
    assert KEY in str(refused.value)
    assert remedy in refused.value.hint


async def test_a_clock_that_is_off_is_told_and_may_be_set(blobs: S3Blobs, puts: Answers) -> None:
    puts.refuse("RequestTimeTooSkewed", times=100, status=403)
    with pytest.raises(TransientFault) as refused:
        await blobs.put(KEY, b"x", written(1, 1), fenced=True)
    assert "clock" in refused.value.hint


async def test_a_storm_is_waited_for(blobs: S3Blobs, puts: Answers) -> None:
    puts.refuse("SlowDown", times=100, status=503)
    with pytest.raises(TransientFault):
        await blobs.put(KEY, b"x", {})


async def test_a_missing_bucket_is_named(s3_clients: Clients) -> None:
    missing = blobs_on(s3_clients, "nowhere")
    for call in (
        missing.put(KEY, b"x", {}),
        missing.put(KEY, b"x", written(1, 1), fenced=True),
        missing.get(KEY),
        missing.list(""),
    ):
        with pytest.raises(PermanentFault, match="nowhere") as refused:
            await call
        assert "--bucket" in refused.value.hint


@pytest.mark.parametrize("bucket", ["", "ab", "Upper", "a_b", "-ab", "ab.", "a" * 64, "a/b"])
def test_what_is_no_bucket_is_refused_before_any_call(s3_clients: Clients, bucket: str) -> None:
    with pytest.raises(PermanentFault) as refused:
        blobs_on(s3_clients, bucket)
    assert "--bucket" in refused.value.hint


@pytest.mark.parametrize(
    ("credentials", "remedy"),
    [
        (STRANGER, "--bucket"),
        ({"AWS_SECRET_ACCESS_KEY": "wrong"}, "AWS_SECRET_ACCESS_KEY"),
        ({"AWS_ACCESS_KEY_ID": "nobody"}, "AWS_ACCESS_KEY_ID"),
        ({"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "AWS_PROFILE"),
    ],
)
async def test_credentials_that_do_not_open_the_bucket(
    blobs: S3Blobs,
    s3_url: str,
    monkeypatch: pytest.MonkeyPatch,
    credentials: dict[str, str],
    remedy: str,
) -> None:
    await blobs.put(KEY, b"x", written(1, 1))
    for name, value in credentials.items():
        monkeypatch.setenv(name, value)
    async with s3_clients_of(s3_url) as clients:
        theirs = blobs_on(clients)
        for call in (
            theirs.get(KEY),
            theirs.list(""),
            theirs.put(KEY, b"y", {}),
            theirs.put(KEY, b"y", written(1, 2), fenced=True),
        ):
            with pytest.raises(PermanentFault) as refused:
                await call
            assert remedy in refused.value.hint
            assert "wrong" not in str(refused.value)
    assert await stored(blobs) == (b"x", "1")


async def test_a_large_body_goes_there_and_back(blobs: S3Blobs) -> None:
    data = bytes(range(256)) * 125_000
    await blobs.put(KEY, data, written(1, 1), fenced=True)
    assert await stored(blobs) == (data, "1")
