"""The author of the text shown while another model is loaded, and the message about a model that is too slow."""

from concurrent.futures import Future
from dataclasses import asdict, replace
from types import SimpleNamespace

import pytest
from suture.lsp_server.cli import doctor_checks
from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.engine import keeper
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.proposing import suggestion as suggesting
from suture.lsp_server.completion.proposing.shown import Suggestion, signed
from suture.lsp_server.handlers.inline import written_by
from suture.lsp_server.session.status import StatusInputs, status_of
from suture.lsp_server.settings.spec import Settings
from suture.model import Completion, load
from suture.model.loading import cores

TEXT = "def area(width, height):\n    return \n\n\nprint(area(2, 3))\n"
PLACE = CursorContext("file:///a.py", "python", TEXT, TEXT.index("return ") + 7)


def test_a_text_of_the_model_that_stands_in_says_so_until_the_user_s_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    embedded, loading = load(), Future()
    monkeypatch.setattr(keeper, "loaded_in_thread", lambda load: loading)
    monkeypatch.setattr(keeper, "load_model", lambda *given: embedded)
    engine = CompletionEngine(Settings(model="mine", certainty=0.0))
    engine.keeper.grace_s = 0.01
    shown = engine.suggest(PLACE, lambda: False)
    assert isinstance(shown, Suggestion) and shown.stand_in == "embedded"
    several = engine.alternatives(PLACE, 2, lambda: False)
    assert several and all(one.stand_in for one in several if one.completion.tokens)
    assert written_by(shown) == "written by the model embedded, which stands in for yours"
    told = status_of(StatusInputs(loading=1, model=engine.keeper.model_name, away=engine.keeper.away))
    assert (told.state, told.message) == ("loading", "mine is being loaded; the embedded model suggests meanwhile")
    loading.set_result(replace(embedded, name="mine"))
    own = engine.suggest(replace(PLACE, document="file:///b.py"), lambda: False)
    assert isinstance(own, Suggestion) and not own.stand_in
    assert written_by(own) is None
    engine.unload()


def test_a_text_that_facts_made_is_by_no_model() -> None:
    made = Suggestion("width", Completion("width", 0, "model", True, 0.0, 0.0, 0.0), True, 0.0)
    assert signed(made, "embedded") == made
    assert signed([made], "embedded") == [made]
    assert signed(None, "embedded") is None


def test_the_status_has_a_field_for_who_wrote() -> None:
    assert asdict(status_of(StatusInputs()))["wrote"] == ""


@pytest.mark.parametrize(
    ("name", "first_ms", "key_ms", "threads", "level", "advice"),
    [
        ("mine", 8500, [8500, 8500, 8500], 1, "error", "too slow to type with: use a smaller model"),
        ("mine", 900, [1600, 1700, 1800], 2, "error", "too slow to type with"),
        ("mine", 8500, [8500, 900, 8500], 2, "warning", "slow to type with"),  # other moments were busy ones
        ("mine", 8500, [8500, 90, 8500], 2, "ok", ""),
        ("embedded", 8500, [8500, 8500, 8500], None, "warning", "too slow to type with: other programs"),
    ],
)
def test_doctor_says_too_slow_and_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    first_ms: float,
    key_ms: list[float],
    threads: int | None,
    level: str,
    advice: str,
) -> None:
    now_s, waits = 0.0, iter([first_ms, *key_ms])

    def suggest(cursor: Cursor, session: object, asking: object) -> Suggestion:
        nonlocal now_s
        now_s += next(waits) / 1e3
        return Suggestion("width", Completion("width", 1, "model", True, 0.0, 0.0, 0.0), True, 0.0)

    monkeypatch.setattr(suggesting, "suggest", suggest)
    monkeypatch.setattr(doctor_checks, "time", SimpleNamespace(perf_counter=lambda: now_s))
    monkeypatch.setattr(cores, "usable", lambda: 2)
    child = SimpleNamespace(settings=SimpleNamespace(threads=threads)) if threads else None
    model = SimpleNamespace(name=name, runtime=SimpleNamespace(dialect=SimpleNamespace(child=child)))
    finding = doctor_checks._test_completion(model)  # type: ignore[arg-type]
    assert finding.level == level and finding.advice.startswith(advice)
    if level == "error":
        assert "suture models use embedded" in finding.advice and "max_tokens" in finding.advice
        assert ("more than 1 of 2 cores" in finding.advice) == (threads == 1)
