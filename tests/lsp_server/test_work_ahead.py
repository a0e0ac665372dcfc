"""A model of ours writes in a pause the text a user may ask for, and is not asked again when the user does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pytest
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.settings.spec import Settings
from suture.model import Model, load
from suture.model.runtime.served.dialect import Drafted
from suture.model.runtime.served.reading import ReadingSpeed
from suture.model.runtime.served.runtime import ServedRuntime

ANSWER, MIDDLE = "return sum(prices)", "return len(prices)"


class Script:
    """The rest of a text, step by step."""

    def __init__(self, tokens: Sequence[int], end: int) -> None:
        self._rest = iter([*tokens, end])
        self._end = end

    def next(self, cancelled: object) -> Drafted | None:
        token = next(self._rest, None)
        return None if token is None else Drafted(token, {token: -0.1, self._end: -3.0} | {token: -0.1})

    def close(self) -> None:
        pass


class Voices:
    """A server's dialect that writes one text as an answer, and another for the middle."""

    name = "voices"

    def __init__(self, model: Model) -> None:
        self._model = model
        self._prompts: dict[bool, int] = {}
        self.drafted: list[tuple[int, ...]] = []

    def draft(self, ids: Sequence[int], tokens: int, around: object = None) -> Script:
        self.drafted.append(tuple(ids))
        answers = ids[0] == self._model.vocabulary.ids["<|im_start|>"]
        start = self._prompts.setdefault(answers, len(ids))
        spelled_again = "\n    "  # the last token of the prompt, possibly the beginning of a longer one
        script = self._model.vocabulary.encode(spelled_again + (ANSWER if answers else MIDDLE))
        return Script(script[len(ids) - start :], self._model.template.ends[0])

    def among(self, ids: Sequence[int], allowed: Sequence[int] | None, cancelled: object) -> Mapping[int, float]:
        return dict.fromkeys((allowed or ())[:50], -9.0)

    def score(self, ids: Sequence[int], text: Sequence[int], cancelled: object) -> float | None:
        return None

    def read(self, ids: Sequence[int], cancelled: object) -> float:
        return 0.0

    def recover(self, problem: object) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[CompletionEngine, Voices]]:
    """An engine, and the dialect of its model."""
    embedded = load(copying=False)
    for token, mark in zip(embedded.template.ends, ("<|im_start|>", "<|im_end|>"), strict=False):
        monkeypatch.setitem(embedded.vocabulary.ids, mark, token)
    voices = Voices(embedded)
    runtime = ServedRuntime(voices, size=embedded.runtime.size, limit=2048, reading=ReadingSpeed(0.1))
    engine = CompletionEngine(Settings(context_files=False, attributes=False), patient=True)
    engine.keeper._model = replace(embedded, name="tuned", runtime=runtime, served=runtime, answers=True)  # pyright: ignore[reportPrivateUsage]
    yield engine, voices
    engine.unload()


def _place(marked: str) -> CursorContext:
    return CursorContext("file:///shop.py", "python", marked.replace("|", ""), marked.index("|"))


@pytest.mark.parametrize("behind", ["", "\n\n\ndef other():\n    pass\n"])
def test_texts_that_were_written_in_a_pause_cost_the_model_nothing(
    stage: tuple[CompletionEngine, Voices], behind: str
) -> None:
    engine, voices = stage
    place = _place(f"def total(prices):\n    |{behind}")
    engine.read_ahead(place, lambda: False)
    written = len(voices.drafted)
    assert written >= 2
    several = engine.alternatives(place, 3, lambda: False)
    assert several[0].text == ANSWER and MIDDLE in [one.text for one in several]
    assert len(voices.drafted) == written


def test_nothing_is_written_where_no_body_begins(stage: tuple[CompletionEngine, Voices]) -> None:
    engine, voices = stage
    engine.read_ahead(_place("prices = [1]\ntotal = |\n"), lambda: False)
    assert not voices.drafted


def test_a_pause_that_is_over_ends_the_writing(stage: tuple[CompletionEngine, Voices]) -> None:
    engine, voices = stage
    engine.read_ahead(_place("def total(prices):\n    |"), lambda: True)
    assert not voices.drafted
