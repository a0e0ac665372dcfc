"""Servers of models: who may name one, and the behaviour while it does not answer."""

import contextlib
import threading
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from suture.lsp_server.completion.engine import keeper
from suture.lsp_server.completion.engine.keeper import Absence, ModelKeeper
from suture.lsp_server.runtime import supervisor
from suture.lsp_server.runtime.backend import Backend
from suture.lsp_server.session.status import StatusInputs, status_of
from suture.lsp_server.settings.sources import workspace_layer
from suture.lsp_server.settings.spec import Settings
from suture.model import ModelError, load
from suture.model.errors import ServerUnavailable
from suture.model.runtime.served.options import ServerOptions, parse_address

from ..support.work import PATIENCE_S

AWAY = "http://127.0.0.1:9/v1"  # the port of a service nobody runs


@pytest.mark.parametrize("trusted", [True, False])
def test_no_workspace_says_where_code_is_sent(tmp_path: Path, trusted: bool) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.suture]\nmax_tokens = 7\nmodel = 'HTTPS://stranger.example/v1#x'\nmodel_key_env = 'GITHUB_TOKEN'\n"
        "model_plain_http = true\nmodel_ca = 'ca.pem'\ntokenizer = '.'\n"
    )
    layer = workspace_layer(tmp_path, trusted)
    assert layer is not None
    assert dict(layer.values) == {"max_tokens": 7}
    assert sum("never taken from a workspace" in message for message in layer.messages) == 5


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("http://example.org/v1#x", "unencrypted"),
        ("https://user:secret@example.org/v1", "model_key_env"),
        ("http://", "not an address"),
        ("http://[::1/v1", "not an address"),
    ],
)
def test_an_address_that_is_unsafe_or_none_is_refused(address: str, problem: str) -> None:
    with pytest.raises(ModelError, match=problem):
        load(address)


def test_loopback_is_this_machine_alone() -> None:
    for host, here in (("127.0.0.1", True), ("[::1]", True), ("localhost", True), ("127.0.0.1.example.org", False)):
        assert parse_address(f"http://{host}:1/v1#m").loopback is here
    assert parse_address("https://a.example/x/v1/#org/model") == parse_address("https://a.example/x#org/model")


def test_the_embedded_model_stands_in_for_a_server_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ModelKeeper(Settings(model=AWAY))
    engine.load()
    assert engine.model().name == "embedded"
    assert engine.model_name == "embedded"
    assert len(engine.notices) == 1 and "cannot be reached" in engine.notices[0]
    told = status_of(StatusInputs(model="embedded", away=engine.away))
    assert told.state == "away" and "cannot be reached" in told.message and "after 2 s" in told.message
    engine.load()
    assert len(engine.notices) == 1  # it is said once
    assert engine.stands_in
    monkeypatch.setattr(Absence, "lasts", False)
    assert not engine.stands_in and engine.away  # a request now may get an answer of the server
    own = load()
    monkeypatch.setattr(keeper, "load_model", lambda *given: own)
    while engine.model() is not own:  # it is loaded in a thread
        pass
    assert "is back" in engine.notices[-1] and engine.away == "" and not engine.stands_in
    engine.unload()


def test_a_server_is_back_when_it_has_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    served = SimpleNamespace(counts=SimpleNamespace(answers=3), close=lambda: None)
    own = SimpleNamespace(name="own", served=served)
    engine = ModelKeeper(Settings(model=AWAY))
    engine._model = own  # type: ignore[assignment]
    monkeypatch.setattr(Absence, "lasts", True)

    def fails(model: object) -> str:
        if model is own:
            raise ServerUnavailable("no connection")
        return "the embedded model's"

    def answers(model: object) -> str:
        served.counts.answers += model is own
        return "a text"

    assert engine.ask(fails) == "the embedded model's" and engine.away
    monkeypatch.setattr(Absence, "lasts", False)
    assert engine.ask(lambda model: "without the server") == "without the server" and engine.away
    assert engine.ask(answers) == "a text" and not engine.away
    assert ["back" in notice for notice in engine.notices] == [False, True]


def test_what_is_told_of_a_model_that_stands_in_and_of_one_that_is_served() -> None:
    engine = ModelKeeper(Settings(model="own"))
    assert (engine.details(), engine.away, engine.model_name, engine.loaded) == ("", "", None, False)
    own, embedded = SimpleNamespace(name="own", served=None), SimpleNamespace(name="embedded", served=None)
    engine._model = own  # type: ignore[assignment]
    assert (engine.details(), engine.away, engine.model_name, engine.loaded) == ("", "", "own", True)
    own.served = SimpleNamespace(reading=None)
    assert engine.details() == ""
    own.served.reading, own.runtime = SimpleNamespace(whole=2048), SimpleNamespace()
    assert engine.details() == "2,048 tokens of context"  # on a server of somebody else
    child = SimpleNamespace(memory=lambda: None)
    own.runtime.dialect = SimpleNamespace(child=child)
    assert engine.details() == "2,048 tokens of context"
    child.memory = lambda: (3_000_000, 400_000_000)
    assert "takes 3.0 MB for itself, and 400 MB that" in engine.details()
    engine._stand_in = embedded  # type: ignore[assignment]
    assert (engine.details(), engine.model_name, engine.stands_in) == ("", "embedded", False)
    engine._away = "the server hangs"
    engine._absence.begin_or_extend()
    assert engine.away == "the server hangs; the embedded model suggests meanwhile, and it is asked again after 2 s"
    assert engine.stands_in
    engine._absence.end()
    loading: Future[None] = Future()
    engine.loading = loading  # type: ignore[assignment]
    assert engine.stands_in and engine.away == "own is being loaded; the embedded model suggests meanwhile"
    loading.set_result(None)
    assert not engine.stands_in  # the next request finds it
    engine.problem = keeper.Unavailable("the file is damaged; choose another")
    assert engine.stands_in and engine.away == "the file is damaged; the embedded model suggests instead"
    engine._model, engine.loading = None, None
    assert engine.loaded


def test_the_wait_for_a_server_grows_and_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(keeper, "monotonic", lambda: now)
    absence, waits = Absence(), []
    for _ in range(8):
        absence.begin_or_extend()
        start = now
        while absence.lasts:
            now += 0.5
        waits.append(now - start)
    assert waits == [2, 4, 8, 16, 32, 60, 60, 60]
    absence.end()
    assert not absence.lasts


def test_settings_come_to_the_server_that_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, object] = {}

    def connect(name: str, options: ServerOptions, *, context: int | None) -> None:
        asked.update(name=name, options=options, context=context)
        raise ModelError("enough")

    monkeypatch.setattr("suture.model.runtime.served.connect.connect", connect)
    settings = Settings(model=AWAY, model_key_env="KEY", tokenizer="t", context_tokens=300)
    with pytest.raises(keeper.Unavailable, match="enough"):
        ModelKeeper(settings).load()
    assert asked == {"name": AWAY, "options": ServerOptions(key_env="KEY", tokenizer="t"), "context": 300}


def served_model(closed: list[str], name: str) -> Any:
    """A model in a child process, of which only the end is seen."""
    return SimpleNamespace(name=name, notice=None, served=SimpleNamespace(close=lambda: closed.append(name)))


def test_a_model_that_was_loaded_and_never_asked_ends_with_its_engine() -> None:
    closed: list[str] = []
    engine = ModelKeeper(Settings(model="large.gguf"))
    engine.loading = Future()
    engine.loading.set_result(served_model(closed, "large"))
    engine.unload()
    assert closed == ["large"]


def test_each_model_that_makes_way_for_another_ends() -> None:
    backend, held, closed = Backend(), threading.Event(), list[str]()
    backend.worker.submit("suggest", lambda cancelled: held.wait(PATIENCE_S))
    for name in ("first", "second", "third"):
        backend.engine.keeper._model = served_model(closed, name)
        backend.new_engine(Settings(model=f"after-{name}"))
    held.set()
    assert backend.worker.submit("last", lambda cancelled: True).future.result(PATIENCE_S)
    assert closed == ["first", "second", "third"]
    backend.stop()


async def test_a_model_that_nobody_wants_any_more_when_it_is_loaded_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    backend, closed = Backend(), list[str]()
    wanted = Settings(model="large.gguf")

    def load(keeper: ModelKeeper) -> None:
        keeper._model = served_model(closed, "large")
        session.settings = Settings()  # switched back meanwhile

    monkeypatch.setattr(ModelKeeper, "load", load)
    status = SimpleNamespace(loading=contextlib.nullcontext, set_problem=lambda: None, publish=lambda: None)
    status.inputs = SimpleNamespace(install="", started=True)

    async def with_progress(title: str, work: Any) -> Any:
        return await work

    client = SimpleNamespace(with_progress=with_progress, log=lambda text: None)
    session: Any = SimpleNamespace(settings=wanted, backend=backend, status=status, client=client)
    await supervisor.take_settings(session)
    assert backend.loader.submit("last", lambda cancelled: True).future.result(PATIENCE_S)
    assert closed == ["large"] and backend.engine.keeper._model is None
    backend.stop()
