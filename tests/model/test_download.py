"""Downloads from a hub: how far they are, resumed after a break, and checked; against a hub on loopback."""

import hashlib
import os
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from suture.model.errors import ModelError
from suture.model.loading import presets
from suture.model.loading.find import download, is_here

from ..support.hub_server import Hub, hub

DATA = os.urandom(30_000_000)  # several of the pieces read at a time


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with a preset's file."""
    import huggingface_hub.constants as constants

    preset = replace(
        presets.PRESETS[0],
        name="small",
        hub="someone/small",
        file="small.gguf",
        sha256=hashlib.sha256(DATA).hexdigest(),
    )
    monkeypatch.setitem(presets._BY_NAME, "small", preset)
    with hub({"someone/small/small.gguf": DATA}) as found:
        monkeypatch.setattr(constants, "ENDPOINT", found.address)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", found.address + "/{repo_id}/resolve/{revision}/{filename}"
        )
        yield found


def test_a_file_comes_with_its_progress(served: Hub) -> None:
    seen: list[tuple[int, int]] = []
    path = download("small", progress=lambda here, of: seen.append((here, of)))
    assert path.read_bytes() == DATA and is_here("small")
    assert seen[-1] == (len(DATA), len(DATA)) and len(seen) > 1
    assert [here for here, _ in seen] == sorted(here for here, _ in seen)


LOOK_UP = """
import sys
from suture.model.errors import ModelError
from suture.model.loading.find import find_model
try:
    find_model(sys.argv[1])
except ModelError as error:
    print(error)
"""


@pytest.mark.parametrize("name", ["someone/small", presets.PRESETS[0].name, "qwen2.5-coder-0.5b"])
def test_nothing_is_asked_of_the_hub_unless_somebody_downloads(tmp_path: Path, name: str) -> None:
    with hub({"someone/small/small.gguf": DATA}) as served:
        # A process of its own: the hub's client asks some things once in a process.
        environment = {**os.environ, "HF_ENDPOINT": served.address, "HF_HOME": str(tmp_path)}
        looked = subprocess.run([sys.executable, "-c", LOOK_UP, name], env=environment, capture_output=True, text=True)
        assert "nor in the local cache" in looked.stdout, looked.stderr
        assert served.asked == 0


def test_what_was_begun_is_resumed(served: Hub) -> None:
    class Enough(Exception):
        pass

    def stop(here: int, of: int) -> None:
        if here > of // 2:
            raise Enough

    with pytest.raises(Enough):
        download("small", progress=stop)
    assert not is_here("small")
    assert download("small").read_bytes() == DATA
    first = int(served.ranges[-1].removeprefix("bytes=").partition("-")[0])
    assert 0 < first < len(DATA)


def test_a_hub_that_does_not_answer_is_said(served: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants as constants

    nobody = served.address.rpartition(":")[0] + ":9"
    monkeypatch.setattr(constants, "ENDPOINT", nobody)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", nobody + "/{repo_id}/resolve/{revision}/{filename}")
    with pytest.raises(ModelError, match="the hub cannot be reached"):
        download("small")


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (socket.gaierror(-2, "Name or service not known"), "its host is not found"),
        (ssl.SSLCertVerificationError(1, "self-signed certificate"), "certificate is not trusted"),
        (ConnectionRefusedError(111, "Connection refused"), "is refused"),
        (TimeoutError("timed out"), "no answer"),
        (OSError(113, "No route to host"), "No route to host"),
    ],
)
def test_why_a_hub_is_not_reached_is_said_in_words(
    served: Hub, monkeypatch: pytest.MonkeyPatch, cause: OSError, words: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise cause

    monkeypatch.setattr(socket, "create_connection", refuse)
    with pytest.raises(ModelError, match="the hub cannot be reached") as failed:
        download("small")
    assert words in str(failed.value) and "Errno" not in str(failed.value)


def test_a_connection_that_breaks_is_taken_up_again(served: Hub) -> None:
    served.break_after = len(DATA) // 2
    assert download("small").read_bytes() == DATA


def test_a_damaged_file_is_deleted_and_never_used(served: Hub) -> None:
    served.damaged = True
    with pytest.raises(ModelError, match="damaged during the download"):
        download("small")
    assert not is_here("small")
    served.damaged = False
    assert download("small").read_bytes() == DATA


def test_a_file_that_the_hub_has_exchanged_is_refused(served: Hub) -> None:
    served.files["someone/small/small.gguf"] = b"other" + DATA[5:]
    with pytest.raises(ModelError, match="not the file that Suture knows"):
        download("small")
