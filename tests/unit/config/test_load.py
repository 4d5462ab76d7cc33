"""Sources and their order, unknown names, and all errors at once."""

from pathlib import Path

import pytest

from canvas.cooldown import MAX_STACK, CooldownRule
from server.config import ConfigurationError, Problem, Size, load, read_palette
from server.config.table import BY_NAME, ROWS
from tests.support.certificates import DAY, make_pair


def problems_of(
    flags: dict[str, str | None] | None = None,
    environ: dict[str, str] | None = None,
    config_file: Path | None = None,
) -> tuple[Problem, ...]:
    with pytest.raises(ConfigurationError) as caught:
        load(flags or {}, environ or {}, config_file)
    return caught.value.problems


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    path = tmp_path / "tesserae.toml"
    path.write_text('port = 1001\nhost = "file"\nguests = false\nsize = "20x10"\n')
    return path


def test_a_flag_wins_over_the_environment_and_that_over_the_file(toml: Path) -> None:
    loaded = load({"port": "3003"}, {"TESSERAE_PORT": "2002", "TESSERAE_HOST": "environment"}, toml)
    settings = loaded.settings
    assert (settings.port, settings.host, settings.guests) == (3003, "environment", False)
    assert settings.size == Size(20, 10)
    assert settings.max_connections == 10_000
    assert loaded.sources == {
        "port": "--port",
        "host": "TESSERAE_HOST",
        "guests": f"guests in {toml}",
        "size": f"size in {toml}",
    }


def test_the_environment_names_the_file(toml: Path) -> None:
    assert load({}, {"TESSERAE_CONFIG": str(toml)}).settings.port == 1001


def test_a_flag_names_another_file(toml: Path, tmp_path: Path) -> None:
    assert load({}, {"TESSERAE_CONFIG": str(tmp_path / "absent")}, toml).settings.port == 1001


def test_a_flag_that_was_not_given_hides_nothing() -> None:
    loaded = load({"port": None}, {"TESSERAE_PORT": "2002"})
    assert loaded.settings.port == 2002
    assert loaded.settings.given("port")
    assert not loaded.settings.given("host")


def test_variables_of_others_are_left_alone() -> None:
    assert load({}, {"PORT": "x", "TESSERA_PORT": "x", "PATH": "/bin"}).sources == {}


def test_all_errors_are_told_at_once_each_with_a_remedy(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text('prt = 5\nlog-format = "xml"\n')
    problems = problems_of(
        {"size": "huge", "palette": str(tmp_path / "absent.hex")},
        {"TESSERAE_GUEST": "on", "TESSERAE_PORT": "99999"},
        file,
    )
    assert [str(problem) for problem in problems] == [
        f"prt in {file} is no setting. Did you mean port?",
        "TESSERAE_GUEST is no setting. Did you mean TESSERAE_GUESTS?",
        "TESSERAE_PORT: '99999' cannot be used. Give a whole number from 0 to 65535.",
        f"--size: 'huge' is not a size. Give {BY_NAME['size'].accepts}.",
        f"log-format in {file}: 'xml' cannot be used. Give text or json.",
        (
            f"--palette: '{tmp_path / 'absent.hex'}' cannot be read "
            "(No such file or directory). Give a file that can."
        ),
    ]


def test_a_name_like_no_other_points_to_the_list() -> None:
    (problem,) = problems_of(environ={"TESSERAE_ZZZ": "1"})
    assert "config reference" in problem.remedy


def test_an_underscore_in_a_key_is_told_the_dash(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text("max_connections = 5\n")
    (problem,) = problems_of(config_file=file)
    assert problem.remedy == "Did you mean max-connections?"


def test_the_variables_of_kubernetes_are_explained() -> None:
    problems = problems_of(
        environ={"TESSERAE_SERVICE_HOST": "10.0.0.1", "TESSERAE_PORT_8080_TCP": "tcp://10.0.0.1"}
    )
    assert len(problems) == 2
    assert all("enableServiceLinks" in problem.remedy for problem in problems)


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"port = \n", "is not TOML"),
        (b"port = " + b"9" * 5000, "is not TOML"),
        (b"port = " + b"[" * 3000 + b"]" * 3000, "is not TOML"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"#" * 1_000_001, "is too large"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, content: bytes, wrong: str) -> None:
    file = tmp_path / "t.toml"
    file.write_bytes(content)
    (problem,) = problems_of(config_file=file)
    assert problem.wrong.startswith(wrong)
    assert problem.where == str(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (problem,) = problems_of(config_file=tmp_path / "absent.toml")
    assert "No such file" in problem.wrong


def test_toml_tables_are_no_settings(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text("[server]\nport = 5\n")
    (problem,) = problems_of(config_file=file)
    assert problem.where == f"server in {file}"


def test_a_secret_in_a_file_that_others_read(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text('secret = "0123456789abcdef0123456789abcdef"\n')
    file.chmod(0o644)
    (problem,) = problems_of(config_file=file)
    assert problem.remedy == f"Run: chmod 600 {file}"
    file.chmod(0o600)
    assert load({}, {}, file).settings.secret is not None


def test_no_error_shows_a_secret() -> None:
    problems = problems_of(environ={"TESSERAE_METRICS_TOKEN": "hunter2", "TESSERAE_PORT": "x"})
    assert len(problems) == 2
    assert not any("hunter2" in str(problem) for problem in problems)


def test_long_values_are_cut_in_errors() -> None:
    (problem,) = problems_of({"port": "9" * 5000})
    assert len(str(problem)) < 400


def test_the_secret_from_two_places(tmp_path: Path) -> None:
    file = tmp_path / "s"
    file.write_text("x")
    (problem,) = problems_of({"secret_file": str(file)}, {"TESSERAE_SECRET": "abcdefgh" * 5})
    assert problem.where == "TESSERAE_SECRET and --secret-file"


def test_ticks_that_leave_no_room() -> None:
    (problem,) = problems_of({"tick_min_ms": "300"})
    assert "300 ms" in problem.wrong
    (problem,) = problems_of({"tick_min_ms": "300", "tick_max_ms": "never"})
    assert problem.where.startswith("--tick-max-ms")


def test_the_largest_cooldown_that_is_accepted_can_be_founded() -> None:
    texts = {"cooldown_ms": "315360000000", "cooldown_stack": "1000"}
    settings = load(texts, {}).settings
    assert CooldownRule(settings.cooldown_ms, settings.cooldown_stack).max_stack == MAX_STACK
    (problem,) = problems_of({"cooldown_stack": "1001"})
    assert problem.remedy == "Give a whole number from 1 to 1000."


def test_a_data_path_that_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("")
    (problem,) = problems_of({"data": str(file)})
    assert problem.wrong == "is no directory"


def test_every_default_is_accepted_when_it_is_written() -> None:
    texts = {row.name: row.default_text for row in ROWS if row.flag and row.default_text}
    loaded = load(texts, {})
    assert loaded.settings == load({}, {}).settings


def test_every_setting_has_its_three_names() -> None:
    for row in ROWS:
        assert row.variable == "TESSERAE_" + row.key.upper().replace("-", "_")
        assert (row.flag is None) == row.secret
        assert row.about.help.endswith(".")


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"#FF4500\nred\n", "line 2"),
        (b"\xff\xfe\x00", "is no palette"),
        (b"#FF4500\n" * 20_000, "too large"),
        (b"", "is no palette"),
    ],
)
def test_a_file_that_is_no_palette(tmp_path: Path, content: bytes, wrong: str) -> None:
    file = tmp_path / "colors.hex"
    file.write_bytes(content)
    (problem,) = problems_of({"palette": str(file)})
    assert wrong in problem.wrong
    assert "up to 16 colors" in problem.remedy


def test_a_palette_as_windows_saves_it(tmp_path: Path) -> None:
    file = tmp_path / "colors.hex"
    file.write_bytes(b"\xef\xbb\xbf#FF4500\r\n#000000\r\n")
    loaded = load({"palette": str(file)}, {})
    assert loaded.settings.palette == file
    assert [color.rgb for color in read_palette(file).colors[:2] if color] == ["#FF4500", "#000000"]


def test_half_of_tls_is_told_what_is_missing(tmp_path: Path) -> None:
    (problem,) = problems_of({"tls_cert": str(tmp_path / "absent.pem")})
    assert problem.remedy == "Give --tls-key too."
    (problem,) = problems_of({}, {"TESSERAE_TLS_KEY": "k.pem"})
    assert problem.where == "TESSERAE_TLS_KEY: 'k.pem'"
    assert problem.remedy == "Give --tls-cert too."


def test_a_certificate_that_cannot_serve_is_told_with_all_else(tmp_path: Path) -> None:
    pair = make_pair(tmp_path, begins=-2 * DAY, ends=-DAY)
    texts = {"tls_cert": str(pair.cert), "tls_key": str(pair.key)}
    first, second = problems_of({**texts, "port": "x"})
    assert first.where.startswith("--port")
    assert second.where == f"--tls-cert: '{pair.cert}'"
    assert "expired" in second.wrong
    good = make_pair(tmp_path)
    assert load({"tls_cert": str(good.cert), "tls_key": str(good.key)}, {}).settings.tls_cert


@pytest.mark.parametrize("text", ["9090", "host", "host:", ":90", "::1:90", "h:70000", "a/b:1"])
def test_the_operators_port_is_a_host_with_a_port(text: str) -> None:
    (problem,) = problems_of({"admin_listen": text})
    assert problem.remedy == "Give HOST:PORT, such as 127.0.0.1:9090 or [::1]:9090."


def test_the_operators_port_is_not_the_players() -> None:
    (problem,) = problems_of({"admin_listen": "0.0.0.0:8080"})
    assert problem.remedy == "Give it a port of its own."
    assert load({"admin_listen": "127.0.0.1:0", "port": "0"}, {}).settings.admin_listen
