"""Every answer of AWS becomes an error of the store that tells what helps."""

import pytest
from botocore import exceptions
from botocore.exceptions import BotoCoreError, ClientError

from persistence.aws.faults import BY_CODE
from persistence.dynamodb.faults import translated
from persistence.errors import ConditionFailed, PermanentFault, StoreError, TransientFault


def raised(error: Exception) -> StoreError:
    with pytest.raises(StoreError) as told, translated("t-dev-history"):
        raise error
    return told.value


def answer(code: str, status: int = 400, **more: object) -> ClientError:
    response = {
        "Error": {"Code": code, "Message": "told"},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(response | more, "PutItem")


@pytest.mark.parametrize(
    ("code", "kind", "hint"),
    [
        ("ConditionalCheckFailedException", ConditionFailed, ""),
        ("ProvisionedThroughputExceededException", TransientFault, "tried again"),
        ("TransactionConflictException", TransientFault, "tried again"),
        ("ResourceNotFoundException", PermanentFault, "tables create"),
        ("AccessDeniedException", PermanentFault, "policy"),
        ("UnrecognizedClientException", PermanentFault, "credentials"),
        ("ExpiredTokenException", PermanentFault, "token"),
        ("ValidationException", PermanentFault, "report"),
        ("SomethingNew", PermanentFault, "report"),
    ],
)
def test_codes(code: str, kind: type[StoreError], hint: str) -> None:
    fault = raised(answer(code))
    assert type(fault) is kind
    assert hint in fault.hint
    assert "t-dev-history" in str(fault)
    assert "{" not in fault.hint


@pytest.mark.parametrize(
    "words", ["Signature expired: 1 is now earlier", "Signature not yet current"]
)
def test_a_clock_that_is_off_is_not_taken_for_wrong_keys(words: str) -> None:
    """Nor is it for good: a call that was signed before a machine was put to sleep fails so."""
    error = answer("InvalidSignatureException")
    error.response["Error"]["Message"] = words
    fault = raised(error)
    assert type(fault) is TransientFault
    assert "clock" in fault.hint
    assert "InvalidSignatureException" in str(fault)


def test_an_unknown_failure_of_the_service_may_pass() -> None:
    assert type(raised(answer("SomethingNew", 503))) is TransientFault


@pytest.mark.parametrize(
    ("error", "kind", "hint"),
    [
        (exceptions.NoCredentialsError(), PermanentFault, "AWS_PROFILE"),
        (exceptions.NoRegionError(), PermanentFault, "--region"),
        (exceptions.EndpointConnectionError(endpoint_url="http://x"), TransientFault, "endpoint"),
        (exceptions.ReadTimeoutError(endpoint_url="http://x"), TransientFault, "endpoint"),
        (exceptions.ConnectionClosedError(endpoint_url="http://x"), TransientFault, "endpoint"),
        (exceptions.SSLError(endpoint_url="http://x", error="bad"), PermanentFault, "CA_BUNDLE"),
        (exceptions.ConfigParseError(path="x"), PermanentFault, "~/.aws/config"),
        (exceptions.InvalidProxiesConfigError(), PermanentFault, "AWS_…"),
        (exceptions.HTTPClientError(error=RuntimeError("closed")), TransientFault, "network"),
        (exceptions.HTTPClientError(error=ValueError("header")), PermanentFault, "AWS_…"),
        (exceptions.HTTPClientError(error=FileNotFoundError("x")), PermanentFault, "CA_BUNDLE"),
        (exceptions.ReadTimeoutError(endpoint_url="x", error=OSError()), TransientFault, "URL"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_answer(error: BotoCoreError, kind: type[StoreError], hint: str) -> None:
    fault = raised(error)
    assert type(fault) is kind
    assert hint in fault.hint


@pytest.mark.parametrize(
    ("reasons", "kind"),
    [
        (["None", "ConditionalCheckFailed"], ConditionFailed),
        (["TransactionConflict", "None"], TransientFault),
        (["TransactionConflict", "ConditionalCheckFailed"], ConditionFailed),
        (["ConditionalCheckFailed", "ValidationError"], PermanentFault),
        (["ThrottlingError"], TransientFault),
        ([], TransientFault),
    ],
)
def test_a_cancelled_transactions_reasons_decide(
    reasons: list[str], kind: type[StoreError]
) -> None:
    told = [{"Code": code} for code in reasons]
    fault = raised(answer("TransactionCanceledException", CancellationReasons=told))
    assert type(fault) is kind


def test_every_known_code_tells_what_helps() -> None:
    assert all(hint for _, hint in BY_CODE.values())
