"""The offer of a better model: its time, its words, and the way from a yes to that model's suggestions."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from suture.lsp_server.runtime import offer
from suture.lsp_server.settings import user_file
from suture.model.loading import installed, presets, recommend
from suture.model.loading.recommend import GAIN, TYPICAL

from ..support.hub_server import Hub, hub
from ..support.raw_client import RawHere, staged_here

A = "file:///offer/a.py"
ASK = "window/showMessageRequest"
DATA = os.urandom(6_000_000)
TWO = dict(TYPICAL)["two cores"]
NAME = recommend.recommend(TWO).name
PROGRESS = {"window": {"workDoneProgress": True}}


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A machine with two cores, a user without files, and a hub with the recommended model."""
    import huggingface_hub.constants as constants

    preset = presets.find(NAME)
    assert preset is not None and preset.file is not None
    monkeypatch.setitem(presets._BY_NAME, NAME, replace(preset, sha256=hashlib.sha256(DATA).hexdigest()))
    monkeypatch.setattr(recommend, "this_machine", lambda: TWO)
    monkeypatch.setattr(installed, "has", lambda extra: True)
    monkeypatch.setattr(user_file, "user_config_dir", lambda *_, **__: str(tmp_path / "config"))
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "SUTURE_MODEL", "SUTURE_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    with hub({f"{preset.hub}/{preset.file}": DATA}) as found:
        monkeypatch.setattr(constants, "ENDPOINT", found.address)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
        template = found.address + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        yield found


looks: list[int] = []
"""Grows whenever a server has looked whether to ask."""


@pytest.fixture
def client(served: Hub, monkeypatch: pytest.MonkeyPatch) -> Iterator[RawHere]:
    consider = offer.Offer.consider

    def noted(self: offer.Offer) -> None:
        consider(self)
        looks.append(1)

    monkeypatch.setattr(offer.Offer, "consider", noted)
    monkeypatch.setattr("suture.lsp_server.runtime.supervisor.TICK_S", 0.02)
    monkeypatch.setattr("suture.lsp_server.protocol.client.QUIET_S", 0.0)
    with staged_here(monkeypatch) as raw:
        yield raw


def look(client: RawHere) -> None:
    """Wait until the server has checked so often that it would have asked by now."""
    until = len(looks) + 20
    while len(looks) < until:
        client.command("suture.status")


def suggest(client: RawHere, count: int = offer.SUGGESTIONS) -> None:
    """So many suggestions of the model."""
    for number in range(count):
        client.open(f"{A}{number}", f"text {number}")
        assert client.items(f"{A}{number}")


def told(client: RawHere, model: str | None = None, download: str | None = None) -> dict[str, Any]:
    """Wait for a status of this model or download."""
    while True:
        for status in client.said("suture/status"):
            if model is not None and status["model"] == model:
                return status
            if download is not None and download in status["download"]:
                return status
        client.read()


def config() -> str:
    path = user_file.user_file()
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_a_yes_leads_to_suggestions_of_the_model_without_a_restart(client: RawHere, served: Hub) -> None:
    served.wait = Event()
    client.replies[ASK] = {"title": offer.DOWNLOAD}
    client.initialize(PROGRESS, modelOffer=True, statusNotification=True)
    suggest(client)
    (asked,) = client.wait(ASK)
    assert [action["title"] for action in asked["actions"]] == ["Download", "Later", "Never"]
    for part in (NAME, "398 MB", "Apache-2.0", "0.3 s", GAIN, "bartowski/"):
        assert part in asked["message"]
    assert told(client, download=NAME)["model"] == "staged"
    client.open(A, "while it is downloaded")
    assert client.items(A)  # by the embedded model
    assert config() == ""
    served.wait.set()
    assert told(client, model=NAME)["message"] != "starting"
    assert config() == f'model = "{NAME}"\n'
    reported = [said["value"] for said in client.said("$/progress") if "percentage" in said["value"]]
    assert reported and any("downloading" in said["value"].get("title", "") for said in client.said("$/progress"))
    client.open(A + "z", "with it")
    assert client.items(A + "z")
    suggest(client, 8)
    assert len(client.said(ASK)) == 1


@pytest.mark.parametrize("said", ["Later", "Never", None])
def test_a_no_is_remembered_by_the_next_sessions(
    client: RawHere, served: Hub, monkeypatch: pytest.MonkeyPatch, said: str | None
) -> None:
    client.replies[ASK] = None if said is None else {"title": said}
    client.initialize(modelOffer=True)
    suggest(client)
    client.wait(ASK)
    client.end()
    with staged_here(monkeypatch) as again:
        again.initialize(modelOffer=True)
        suggest(again, 6)
        look(again)
        assert again.said(ASK) == []
    day = replace(offer.remembered(), at_s=offer.remembered().at_s - offer.LATER_S - 1)
    assert day.may_ask == (said != "Never")
    assert served.asked == 0 and config() == ""


def nothing_asked(client: RawHere) -> None:
    suggest(client, 6)
    look(client)
    assert client.said(ASK) == [] and not offer.answer_file().exists()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"modelOffer": True, "model": "mine"},
        {"modelOffer": True, "offline": True},
        {"modelOffer": True, "offline": False},
    ],
    ids=["a client that cannot show it", "a model chosen", "offline by choice", "the network by choice"],
)
def test_nobody_is_asked_who_has_chosen_or_cannot_see_it(client: RawHere, served: Hub, options: dict[str, Any]) -> None:
    client.initialize(**options)
    nothing_asked(client)
    assert served.asked == 0


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "SUTURE_OFFLINE"])
def test_an_environment_without_network_is_not_asked(
    client: RawHere, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "1")
    client.initialize(modelOffer=True)
    nothing_asked(client)


def test_a_machine_that_suits_the_embedded_model_alone_is_not_asked(
    client: RawHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recommend, "this_machine", lambda: dict(TYPICAL)["one slow core"])
    client.initialize(modelOffer=True)
    nothing_asked(client)


def test_two_suggestions_are_too_few_to_ask(client: RawHere) -> None:
    client.initialize(modelOffer=True)
    suggest(client, offer.SUGGESTIONS - 1)
    look(client)
    assert client.said(ASK) == []


def test_a_download_that_fails_may_be_tried_again(client: RawHere, served: Hub) -> None:
    served.damaged = True
    answers = iter([{"title": offer.DOWNLOAD}, {"title": offer.AGAIN}, {"title": offer.LATER}])

    def answer(params: dict[str, Any]) -> dict[str, str]:
        served.damaged = "damaged" not in params["message"]
        return next(answers)

    client.replies[ASK] = answer
    client.initialize(modelOffer=True, statusNotification=True)
    suggest(client)
    failed = client.wait(ASK, 2)[1]
    assert "damaged during the download" in failed["message"]
    assert [action["title"] for action in failed["actions"]] == ["Try Again", "Later"]
    told(client, model=NAME)
    assert config() == f'model = "{NAME}"\n'


def test_what_was_wanted_is_resumed_by_the_next_session(client: RawHere, served: Hub) -> None:
    offer.remember("download", NAME)
    client.initialize(modelOffer=True, statusNotification=True)
    told(client, model=NAME)
    assert client.said(ASK) == [] and config() == f'model = "{NAME}"\n'


def test_a_download_can_be_stopped(client: RawHere, served: Hub) -> None:
    served.wait = Event()
    client.replies[ASK] = {"title": offer.DOWNLOAD}
    client.initialize(modelOffer=True, statusNotification=True)
    suggest(client)
    told(client, download=NAME)
    client.command("suture.stopDownload")
    served.wait.set()
    while client.command("suture.status")["result"]["download"]:
        pass
    assert offer.remembered().said == "later" and config() == ""


def test_a_model_that_cannot_be_loaded_does_not_stay_chosen(client: RawHere, monkeypatch: pytest.MonkeyPatch) -> None:
    from suture.lsp_server.errors import Unavailable

    from ..support.staged_engine import StagedKeeper

    load = StagedKeeper.load

    def failing(self: StagedKeeper) -> None:
        if self.settings.model == NAME:
            raise Unavailable("it is broken; choose another")
        load(self)

    monkeypatch.setattr(StagedKeeper, "load", failing)
    client.replies[ASK] = {"title": offer.DOWNLOAD}
    client.initialize(modelOffer=True, statusNotification=True)
    suggest(client)
    (message,) = client.wait("window/showMessage")
    assert message["message"] == "Suture: it is broken; choose another; staged stays in use"
    while offer.remembered().said != "later":
        client.command("suture.status")
    assert config().strip() == ""


def test_what_runs_it_is_installed_first(client: RawHere, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    mark = tmp_path / "installed"
    there = f"import pathlib; pathlib.Path({str(mark)!r}).touch()"
    monkeypatch.setattr(installed, "has", lambda extra: mark.exists())
    monkeypatch.setattr(installed, "commands", lambda extra: [[sys.executable, "-c", there]])
    client.replies[ASK] = {"title": offer.DOWNLOAD}
    client.initialize(modelOffer=True, statusNotification=True)
    suggest(client)
    (asked,) = client.wait(ASK)
    assert "llama.cpp, which runs it, is installed first" in asked["message"] and not mark.exists()
    told(client, model=NAME)
    assert mark.exists()


def test_an_installation_that_fails_says_the_command(client: RawHere, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(installed, "has", lambda extra: False)
    monkeypatch.setattr(installed, "commands", lambda extra: [[sys.executable, "-c", "raise SystemExit(3)"]])
    client.replies[ASK] = {"title": offer.DOWNLOAD}
    client.initialize(modelOffer=True)
    suggest(client)
    (message,) = client.wait("window/showMessage")
    assert f"cannot be run yet: install xllamacpp with: {sys.executable}" in message["message"]
    assert config() == ""


@pytest.mark.parametrize("content", ["", "[]", '{"said": 3}', "{" * 50, json.dumps({"said": "x", "at_s": "y"})])
def test_a_damaged_memory_is_none(served: Hub, content: str) -> None:
    offer.answer_file().parent.mkdir(parents=True)
    offer.answer_file().write_text(content, encoding="utf-8")
    assert offer.remembered() == offer.Answer()


@pytest.mark.parametrize("extra", ["gguf", "torch"])
def test_the_status_has_the_command_that_mends_a_missing_package(
    client: RawHere, monkeypatch: pytest.MonkeyPatch, extra: installed.Extra
) -> None:
    from suture.lsp_server.errors import Unavailable

    from ..support.staged_engine import StagedKeeper

    load, problems = StagedKeeper.load, {"mine": f"cannot use mine: {installed.missing(extra)}"}
    problems["theirs"] = "cannot use theirs: install xllamacpp with: their own program"  # possibly a workspace's words

    def failing(self: StagedKeeper) -> None:
        if self.settings.model in problems:
            raise Unavailable(problems[self.settings.model])
        load(self)

    monkeypatch.setattr(StagedKeeper, "load", failing)
    client.initialize(model="mine", statusNotification=True)
    client.wait("window/showMessage")
    assert client.said("suture/status")[-1]["install"] == installed.command(extra)  # before the message is shown
    client.send("workspace/didChangeConfiguration", {"settings": {"suture": {"model": "theirs"}}})
    client.wait("window/showMessage", 2)
    assert client.said("suture/status")[-1]["install"] == ""
    client.send("workspace/didChangeConfiguration", {"settings": {"suture": {"model": "good"}}})
    assert told(client, model="good")["install"] == ""
