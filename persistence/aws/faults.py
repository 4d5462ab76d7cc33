"""From the AWS library's errors to the store's, as far as they are the same for every service.

A service's adapter asks its own codes first. Never lets a secret into a message: the library's
texts name keys and hosts at most.
"""

import http
import ssl

from botocore import exceptions
from botocore.exceptions import BotoCoreError, ClientError

from persistence.errors import PermanentFault, StoreError, TransientFault

Fault = tuple[type[StoreError], str]

_AWAY = "{place} does not answer: look at the network, the region and the endpoint's URL"
_SLOW = "{place} asks for patience; it is tried again by itself"
_KEYS = (
    "AWS refuses the credentials: look at AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the role"
)
_NO_KEYS = "give the process a role, or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and its secret"
_EXPIRED = "the session token has run out: get new credentials, or use a role, which renews them"
_CLOCK = (
    "set this machine's clock (NTP): AWS refuses requests that are minutes off; what was on its way"
    " while the machine stood still is tried again by itself"
)
_ACCESS = (
    "allow this on {place} in the policy of the role or user; `tesserae tables policy` prints one"
)
_REGION = "set AWS_REGION or --region"
_ENDPOINT = "an endpoint's URL is like https://host:port"
_TRUST = "{place} shows a certificate that is not trusted: set AWS_CA_BUNDLE, or mend the URL"
_FOREIGN = (
    "{place} does not answer as AWS does: look at the endpoint's URL, and at proxies on the way"
)
_AROUND = (
    "look at the AWS_… variables and at AWS's own files (~/.aws/config, ~/.aws/credentials,"
    " AWS_CONFIG_FILE, AWS_CA_BUNDLE): one of them is missing, or holds what it may not"
)
_OTHER = "this is an error in the program, report it"
_TEXT_CHARS = 300
"""Of an answer's text; one that is not AWS's may be a whole page."""

BY_CODE: dict[str, Fault] = {
    "AccessDenied": (PermanentFault, _ACCESS),
    "AccessDeniedException": (PermanentFault, _ACCESS),
    "ExpiredToken": (PermanentFault, _EXPIRED),
    "ExpiredTokenException": (PermanentFault, _EXPIRED),
    "IncompleteSignatureException": (PermanentFault, _KEYS),
    "InternalError": (TransientFault, _SLOW),
    "InternalFailure": (TransientFault, _SLOW),
    "InternalServerError": (TransientFault, _SLOW),
    "InvalidAccessKeyId": (PermanentFault, _KEYS),
    "InvalidClientTokenId": (PermanentFault, _KEYS),
    "InvalidSignatureException": (PermanentFault, _KEYS),
    "MissingAuthenticationTokenException": (PermanentFault, _KEYS),
    "RequestExpired": (TransientFault, _CLOCK),
    "RequestLimitExceeded": (TransientFault, _SLOW),
    "RequestTimeTooSkewed": (TransientFault, _CLOCK),
    "RequestTimeout": (TransientFault, _SLOW),
    "ServiceUnavailable": (TransientFault, _SLOW),
    "SignatureDoesNotMatch": (PermanentFault, _KEYS),
    "SlowDown": (TransientFault, _SLOW),
    "Throttling": (TransientFault, _SLOW),
    "ThrottlingException": (TransientFault, _SLOW),
    "UnrecognizedClientException": (PermanentFault, _KEYS),
}

_BY_CLASS: tuple[tuple[type[BotoCoreError], Fault], ...] = (
    (exceptions.SSLError, (PermanentFault, _TRUST)),
    (exceptions.NoCredentialsError, (PermanentFault, _NO_KEYS)),
    (exceptions.PartialCredentialsError, (PermanentFault, _NO_KEYS)),
    (exceptions.ProfileNotFound, (PermanentFault, _NO_KEYS)),
    (exceptions.UnauthorizedSSOTokenError, (PermanentFault, _EXPIRED)),
    (exceptions.CredentialRetrievalError, (TransientFault, _NO_KEYS)),
    (exceptions.MetadataRetrievalError, (TransientFault, _NO_KEYS)),
    (exceptions.NoRegionError, (PermanentFault, _REGION)),
    (exceptions.InvalidRegionError, (PermanentFault, _REGION)),
    (exceptions.HTTPClientError, (TransientFault, _AWAY)),
    (exceptions.ConnectionError, (TransientFault, _AWAY)),
    (exceptions.ChecksumError, (TransientFault, _SLOW)),
)


_LOCAL = (ValueError, FileNotFoundError, IsADirectoryError, PermissionError, ssl.SSLError)
"""What the HTTP library stumbles over before it sends anything; no other try goes better."""

_SKEWED = ("Signature expired", "Signature not yet current")
"""How DynamoDB begins its words about a clock, for which it has no code of its own."""


def code_of(error: ClientError) -> str:
    """Return the code of a service's answer, `Unknown` when it has none."""
    return str(error.response.get("Error", {}).get("Code", "Unknown"))


def retried(error: ClientError) -> bool:
    """Return whether an earlier try of the same call may have been done, its answer lost."""
    return bool(error.response.get("ResponseMetadata", {}).get("RetryAttempts", 0))


def library_fault(error: BotoCoreError, place: str) -> StoreError:
    """Return the store's error for a call that got no answer from `place`."""
    known = (fault for kind, fault in _BY_CLASS if isinstance(error, kind))
    # Calls are not checked by the library: all else that it complains of is how it was set up.
    kind, hint = next(known, (PermanentFault, _AROUND))
    if _was_never_sent(error):
        kind, hint = PermanentFault, _AROUND
    return kind(f"{place}: {error}", hint.format(place=place))


def _was_never_sent(error: BotoCoreError) -> bool:
    """Return whether a request failed on what is here: a character in a key, a file of trust."""
    return type(error) is exceptions.HTTPClientError and isinstance(
        error.kwargs.get("error"), _LOCAL
    )


def answer_fault(error: ClientError, place: str, own: dict[str, Fault]) -> StoreError:
    """Return the store's error for what `place` answered; `own` are the service's codes."""
    text = error.response.get("Error", {}).get("Message") or "no reason given"
    code = "RequestTimeTooSkewed" if text.startswith(_SKEWED) else code_of(error)
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    server_failed = status >= http.HTTPStatus.INTERNAL_SERVER_ERROR
    named = code and not code.isdecimal()  # the library puts the status where there is no code
    refused = (PermanentFault, _OTHER if named else _FOREIGN)
    other = (TransientFault, _SLOW) if server_failed else refused
    kind, hint = own.get(code) or BY_CODE.get(code, other)
    text = text[:_TEXT_CHARS]
    return kind(f"{place}: {text} ({code_of(error) or status})", hint.format(place=place))


def foreign(place: str) -> StoreError:
    """Return the store's error for an answer without what AWS always tells."""
    return PermanentFault(f"{place}: the answer is none of AWS", _FOREIGN.format(place=place))


def endpoint_fault(error: ValueError) -> StoreError:
    """Return the store's error for an endpoint's URL that is none."""
    return PermanentFault(str(error), _ENDPOINT)
