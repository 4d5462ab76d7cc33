"""The files for AWS are such as its services take, and say what image and server say."""

import json
from typing import Any

import pytest
from botocore.session import get_session
from botocore.validate import ParamValidator

from persistence.tables import HISTORY
from server.care.copy.plan import DOLLARS_PER_WRITE
from server.config import Settings, load
from server.config.table import ROWS
from tests.guard.test_container import arguments_of
from tests.support.source import read

PREFIX = "TESSERAE_"
MIN_DAYS_IN_STANDARD = 30
"""After which S3 moves an object to STANDARD_IA, at the earliest."""
READ_AT_ONCE = {"STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR"}


def document(name: str) -> dict[str, Any]:
    return dict(json.loads(read(f"deploy/aws/{name}.json")))


def complaints(service: str, operation: str, parameters: dict[str, Any]) -> str:
    """What the library that talks to AWS finds wrong with the parameters of a call."""
    model = get_session().get_service_model(service).operation_model(operation)
    assert model.input_shape is not None
    return str(ParamValidator().validate(parameters, model.input_shape).generate_report())


@pytest.fixture
def container() -> dict[str, Any]:
    (only,) = document("task-definition")["containerDefinitions"]
    return dict(only)


def variables(container: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each["value"] for each in container["environment"]}


@pytest.mark.parametrize(
    ("service", "operation", "name"),
    [
        ("ecs", "RegisterTaskDefinition", "task-definition"),
        ("ecs", "CreateService", "service"),
    ],
)
def test_every_key_is_one_that_aws_takes(service: str, operation: str, name: str) -> None:
    assert complaints(service, operation, document(name)) == ""


def test_the_rules_of_the_bucket_are_such_as_s3_takes() -> None:
    rules = document("bucket-lifecycle")
    call = {"Bucket": "pixels", "LifecycleConfiguration": rules}
    assert complaints("s3", "PutBucketLifecycleConfiguration", call) == ""


def test_a_wrong_key_would_be_found() -> None:
    assert "stopTimeOut" in complaints(
        "ecs",
        "RegisterTaskDefinition",
        {"family": "t", "containerDefinitions": [{"name": "t", "stopTimeOut": 30}]},
    )


def test_what_may_still_be_read_is_never_put_out_of_reach() -> None:
    """A keyframe is read when snapshots after it are damaged: it may not be thawed first."""
    rules = document("bucket-lifecycle")["Rules"]
    moves = [move for rule in rules for move in rule.get("Transitions", [])]
    assert {move["StorageClass"] for move in moves} <= READ_AT_ONCE
    assert min(move["Days"] for move in moves) >= MIN_DAYS_IN_STANDARD
    assert [rule for rule in rules if "Days" in rule.get("Expiration", {})] == []


def test_the_settings_of_the_container_can_be_used(container: dict[str, Any]) -> None:
    secrets = {each["name"]: "0123456789abcdef" * 4 for each in container["secrets"]}
    given = {**variables(container), **secrets}
    assert given.keys() <= {row.variable for row in ROWS}
    settings = load({}, given).settings
    assert (settings.store, settings.stage) == ("aws", "prod")
    assert settings.trusted_proxies


def test_no_secret_is_in_the_open(container: dict[str, Any]) -> None:
    secret = {row.variable for row in ROWS if row.secret}
    assert secret.isdisjoint(variables(container))
    assert not [name for name in variables(container) if not name.startswith(PREFIX)]


def test_the_how_to_tells_what_a_million_placements_cost() -> None:
    dollars = (1 + len(HISTORY.indexes)) * DOLLARS_PER_WRITE * 1_000_000
    assert f"| a million placements | ${dollars:.2f}: " in read("docs/how-to/aws.md")


def test_one_task_at_a_time_has_the_time_to_stop(container: dict[str, Any]) -> None:
    assert container["stopTimeout"] > Settings().stop_deadline
    service = document("service")
    assert service["desiredCount"] == 1
    deployment = service["deploymentConfiguration"]
    assert deployment["minimumHealthyPercent"] == 0
    assert deployment["maximumPercent"] == 100


def test_the_task_is_shut_like_the_image(container: dict[str, Any]) -> None:
    (port,) = arguments_of("EXPOSE")
    assert [each["containerPort"] for each in container["portMappings"]] == [int(port)]
    assert container["readonlyRootFilesystem"] is True
    assert container["linuxParameters"]["capabilities"] == {"drop": ["ALL"]}
    assert container["ulimits"][0]["softLimit"] > Settings().max_connections
    image = arguments_of("HEALTHCHECK")[0]
    health = container["healthCheck"]
    assert json.dumps(health["command"][1:]) in image
    assert f"--interval={health['interval']}s --timeout={health['timeout']}s" in image
