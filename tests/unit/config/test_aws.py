"""The settings of the AWS store: what goes together, and that no credential is shown."""

import pytest

from server.config import ConfigurationError, load
from server.config.render import to_toml

AWS = {"store": "aws", "bucket": "boards"}


def told(**flags: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(flags, {})
    return str(caught.value)


def test_the_names_of_the_design_are_the_defaults() -> None:
    settings = load(AWS, {}).settings
    assert (settings.table_prefix, settings.stage, settings.lease) == ("tesserae", "dev", "wait")
    assert settings.region is None
    assert settings.lease_time == 10


def test_it_needs_a_bucket() -> None:
    assert told(store="aws") == "--store: 'aws' needs a bucket. Give bucket, too."


def test_a_bucket_that_is_none_is_told_once() -> None:
    assert told(store="aws", bucket="No_Bucket").count("\n") == 0


@pytest.mark.parametrize("name", ["bucket", "stage", "region", "lease"])
def test_alone_its_settings_mean_nothing(name: str) -> None:
    value = "wait" if name == "lease" else "boards"
    assert "is for another store" in told(**{name: value})
    assert "store = aws" in told(**{name: value})


def test_another_store_that_was_chosen_ignores_them() -> None:
    environ = {"TESSERAE_STORE": "aws", "TESSERAE_BUCKET": "boards"}
    assert load({"store": "embedded"}, environ).settings.store == "embedded"


@pytest.mark.parametrize("name", ["endpoint_url_dynamodb", "endpoint_url_s3"])
@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org",
        "example.org:8000",
        "http://",
        "http://example.org:99999",
        "http://[::1",
        "https://example.org/?x=1",
        "https://example.org/#x",
        "",
    ],
)
def test_an_endpoint_is_an_address(name: str, url: str) -> None:
    assert "Give an address that begins with https:// or http://" in told(**AWS, **{name: url})


def test_an_endpoint_may_be_on_a_port_and_below_a_path() -> None:
    for url in ("http://127.0.0.1:4566", "https://s3.example.org/below", "http://[::1]:8000"):
        assert load({**AWS, "endpoint_url_s3": f"{url}/"}, {}).settings.endpoint_url_s3 == url


@pytest.mark.parametrize("name", ["endpoint_url_s3", "jwks_url"])
def test_a_password_in_an_address_is_refused_and_not_shown(name: str) -> None:
    words = told(**AWS, **{name: "https://user:hunter2@example.org"})
    assert "hunter2" not in words
    assert "https://********@example.org" in words


@pytest.mark.parametrize("seconds", ["1.9", "301", "0", "off", "nan"])
def test_a_lease_lasts_some_seconds(seconds: str) -> None:
    assert "from 2 to 300" in told(**AWS, lease_time=seconds)


@pytest.mark.parametrize("name", ["stage", "table_prefix"])
@pytest.mark.parametrize("value", ["", "a b", "a/b", "ä", "x" * 101])
def test_names_are_such_as_tables_may_have(name: str, value: str) -> None:
    assert "1 to 100 of" in told(**AWS, **{name: value})


def test_credentials_are_no_settings() -> None:
    environ = {"AWS_ACCESS_KEY_ID": "AKIAX", "AWS_SECRET_ACCESS_KEY": "s3cr3t"}
    shown = to_toml(load(AWS, environ))
    assert "AKIAX" not in shown
    assert "s3cr3t" not in shown
