"""How values may be written, and that nothing else passes."""

from ipaddress import ip_network
from typing import Any

import pytest
from pydantic import ValidationError

from server.config import Settings, Size
from server.config.values import Endpoint


def value_of(name: str, written: Any) -> Any:
    return getattr(Settings(**{name: written}), name)


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("guests", "on", True),
        ("guests", "OFF", False),
        ("guests", False, False),
        ("port", "0", 0),
        ("port", " 9000 ", 9000),
        ("port", 65535, 65535),
        ("max_connections", "0", 0),
        ("cooldown_ms", str(100 * 24 * 3600 * 1000), 8_640_000_000),
        ("address_cooldown", "off", 0),
        ("address_cooldown", False, 0),
        ("address_cooldown", "2500", 2500),
        ("slow_timeout", "0.5", 0.5),
        ("slow_timeout", 5, 5.0),
        ("write_limit", "4096", 4096),
        ("send_buffer", 16_777_216, 16_777_216),
        ("size", "960x540", Size(960, 540)),
        ("size", "7X3", Size(7, 3)),
        ("size", "8000x8000", Size(8000, 8000)),
        ("origins", "", ()),
        ("origins", "https://Example.org:443, http://[::1]:8080/", None),
        ("cors_origins", "*", ("*",)),
        ("cors_origins", "off", ()),
        ("cors_origins", "https://a.example/", ("https://a.example",)),
        ("trusted_proxies", ["10.0.0.0/8"], (ip_network("10.0.0.0/8"),)),
        ("trusted_proxies", "192.0.2.1,2001:db8::/32", None),
        ("log_format", "json", "json"),
        ("admin_listen", "127.0.0.1:9090", Endpoint("127.0.0.1", 9090)),
        ("admin_listen", "[::1]:0", Endpoint("::1", 0)),
    ],
)
def test_what_is_accepted(name: str, written: Any, value: Any) -> None:
    expected = {
        "origins": ("https://example.org", "http://[::1]:8080"),
        "trusted_proxies": (ip_network("192.0.2.1/32"), ip_network("2001:db8::/32")),
    }
    assert value_of(name, written) == (expected[name] if value is None else value)


def test_networks_of_mapped_addresses_are_ipv4() -> None:
    assert value_of("trusted_proxies", "::ffff:10.0.0.0/104") == (ip_network("10.0.0.0/8"),)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("guests", "yes"),
        ("guests", 1),
        ("port", "65536"),
        ("port", "-1"),
        ("port", "80.0"),
        ("port", "1_000"),
        ("port", "٨"),
        ("port", "9" * 400),
        ("port", 80.0),
        ("port", True),
        ("port", ""),
        ("host", ""),
        ("slow_timeout", "0"),
        ("slow_timeout", "nan"),
        ("slow_timeout", "inf"),
        ("slow_timeout", float("nan")),
        ("slow_timeout", True),
        ("write_limit", "4095"),
        ("write_limit", "off"),
        ("send_buffer", 16_777_217),
        ("size", "960"),
        ("size", "0x5"),
        ("size", "8001x1"),
        ("size", "-1x5"),
        ("size", 960),
        ("origins", "example.org"),
        ("origins", "*"),
        ("origins", "https://example.org/path"),
        ("origins", "https://example.org:99999"),
        ("origins", 5),
        ("trusted_proxies", "10.0.0.1/8"),
        ("trusted_proxies", "10.0.0.0/33"),
        ("trusted_proxies", "anybody"),
        ("address_cooldown", "on"),
        ("cooldown_ms", "off"),
        ("cooldown_stack", "0"),
        ("store", "redis"),
        ("log_format", "xml"),
        ("metrics_token", "short"),
    ],
)
def test_what_is_refused(name: str, written: Any) -> None:
    with pytest.raises(ValidationError):
        Settings(**{name: written})


def test_settings_never_change() -> None:
    settings = Settings()
    with pytest.raises(ValidationError):
        settings.port = 1  # type: ignore[misc]


def test_a_secret_does_not_show() -> None:
    settings = Settings(secret="x1" * 20)
    assert "x1x1" not in f"{settings!r} {settings} {settings.model_dump_json()}"


def test_given_tells_a_default_from_the_same_value_given() -> None:
    settings = Settings(cooldown_ms=300_000)
    assert settings.given("cooldown_ms")
    assert not settings.given("size")
