"""What `config check` prints can be used again and shows no secret."""

import tomllib
from pathlib import Path

from server.config import load
from server.config.render import to_markdown, to_toml
from server.config.table import ROWS

FLAGS: dict[str, str | None] = {
    "port": "9000",
    "origins": "https://a.example,https://b.example",
    "trusted_proxies": "10.0.0.0/8",
    "address_cooldown": "off",
    "size": "7x3",
    "guests": "off",
    "data": 'odd "name" \\ é',
    "slow_timeout": "2.5",
}


def test_the_effective_configuration_is_a_file_of_the_same_meaning(tmp_path: Path) -> None:
    loaded = load(FLAGS, {})
    file = tmp_path / "again.toml"
    file.write_text(to_toml(loaded), encoding="utf-8")
    assert load({}, {}, file).settings == loaded.settings


def test_each_line_tells_its_source() -> None:
    lines = to_toml(load({"port": "9000"}, {"TESSERAE_HOST": "::1"})).splitlines()
    (port,) = (line for line in lines if line.startswith("port "))
    (host,) = (line for line in lines if line.startswith("host "))
    (size,) = (line for line in lines if line.startswith("size "))
    assert port.split() == ["port", "=", "9000", "#", "--port"]
    assert host.split() == ["host", "=", '"::1"', "#", "TESSERAE_HOST"]
    assert size.endswith("# default")


def test_secrets_are_masked() -> None:
    environ = {"TESSERAE_SECRET": "s3cr3t" * 8, "TESSERAE_METRICS_TOKEN": "m3tr1c" * 4}
    text = to_toml(load({}, environ))
    assert "s3cr3t" not in text
    assert "m3tr1c" not in text
    assert text.count('"********"') == 2
    assert tomllib.loads(text).keys().isdisjoint({"secret", "metrics-token"})


def test_the_reference_names_every_setting_once() -> None:
    text = to_markdown()
    for row in ROWS:
        assert text.count(f"### {row.key}\n") == 1
        assert f"`{row.variable}`" in text
