"""Other people's files are read within bounds: nothing waits for an irregular file, and a hostile one takes no time."""

import os
import time
from pathlib import Path

import pytest
from suture.common import untrusted
from suture.common.untrusted import UntrustedFileError

from .support.work import HANGING_S


def refused(path: Path, most: int = 1000) -> str:
    with pytest.raises(UntrustedFileError) as caught:
        untrusted.read_text(path, most)
    return str(caught.value)


def test_regular_files_alone_are_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\r\nb\rc\n")
    assert untrusted.read_text(path, 7) == "a\nb\nc\n"
    assert untrusted.read_bytes(path, 7) == b"a\r\nb\rc\n"
    assert refused(path, 6) == "it is larger than 0 kB"
    assert refused(tmp_path) == "it is not a regular file"
    path.write_bytes(b"\xff")
    assert refused(path) == "it is not UTF-8 text (byte 0)"
    with pytest.raises(FileNotFoundError):
        untrusted.read_bytes(tmp_path / "nothing", 10)
    assert not untrusted.exists("a\0b")
    with pytest.raises(UntrustedFileError):
        untrusted.read_bytes("a\0b", 10)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_pipes_and_devices_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        assert refused(tmp_path / name) == "it is not a regular file"
        assert not untrusted.is_regular(tmp_path / name) and untrusted.exists(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_put_in_place_after_the_look_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    regular = tmp_path / "file"
    regular.touch()
    stat = os.stat
    monkeypatch.setattr(os, "stat", lambda path: stat(regular))
    assert refused(tmp_path / "pipe") == "it is not a regular file"


def test_a_file_without_a_size_is_bounded(tmp_path: Path) -> None:
    if not Path("/proc/self/smaps").is_file():
        pytest.skip("no such file on this system")
    assert refused(Path("/proc/self/smaps"), 1000) == "it is larger than 1 kB"  # its status says 0


def test_files_of_other_users_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    own = path.stat().st_uid
    assert untrusted.read_text(path, 10, owners=frozenset({own})) == "x"
    with pytest.raises(UntrustedFileError, match="another user"):
        untrusted.read_text(path, 10, owners=frozenset({own + 1}))
    owners = untrusted.trusted_owners(tmp_path)
    assert owners is None or own in owners


N = 250_000


@pytest.mark.parametrize(
    "text",
    [
        *("a" + ".a" * N + "=1", "[a" + ".a" * N + "]", '"a"' + '."a"' * N + "=1", f"[{'a.' * 15}k]\n" * (N // 40)),
        *("[[" * N, "a=" + "[" * N, "a=" + "{a=" * N, "a=" + '"\\' * N, 'a="""' + '"\\"' * N, "a=" + "9" * N),
        *("a" + " " * N + "b", "a." * N, "=" * N, "a = " + "1." * N, "'" * N, '"' * N, "\\" * N, "#" * N),
    ],
    ids=lambda text: f"{text[:6]!r}",
)
def test_hostile_toml_takes_no_time(text: str) -> None:
    started = time.process_time()
    with pytest.raises(UntrustedFileError) if not text.startswith("#") else pytest.MonkeyPatch.context():
        untrusted.parse_toml(text)
    assert time.process_time() - started < HANGING_S


def test_real_toml_is_read() -> None:
    text = Path(__file__).parent.parent.joinpath("pyproject.toml").read_text("utf-8")
    assert untrusted.parse_toml(text)["project"]["name"] == "suture"
    long = (
        'versions = ["1.2.3", ' + '"1.2.3.4.5.6", ' * 100 + "]\nfloats = [" + "1.5, " * 100 + ']\nd = """\n' + "." * 100
    )
    assert len(untrusted.parse_toml(long + '"""\n# a.b' + ".c" * 100)["floats"]) == 100


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000, "9" * 10_000, "nonsense", ""])
def test_hostile_json_is_one_error(text: str) -> None:
    with pytest.raises(UntrustedFileError):
        untrusted.parse_json(text)
