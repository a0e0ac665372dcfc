"""A refused token, nearly sure for the model, leads back to the choice before; a text in circles ends after the first copy."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from suture.model import Model, complete, load
from suture.model.decoding.circles import first_copy_end
from suture.model.decoding.replay import replay
from suture.model.runtime.served.dialect import Drafted
from suture.model.runtime.served.runtime import ServedRuntime

from ..support.modelzoo import Brackets, bytelevel, save_model
from ..support.scripted import PLAIN, Scripted, check

END = "end"
CORNER: Mapping[str, Mapping[str, float]] = {
    "": {"a": 0.55, "b": 0.4},
    "a": {"7": 0.95, "x": 0.01},  # no digit may come
    "ax": {END: 0.9},
    "b": {"c": 0.9},
    "bc": {END: 0.9},
}


@dataclass
class Preferring(Scripted):
    """Writes after each text the entries of a table, with their probabilities, and without an entry the end."""

    table: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])

    def _logits(self) -> np.ndarray:
        vocabulary = self.inner.vocabulary
        said = vocabulary.decode(self.sequence[self.start :]).decode()
        logits = np.full(self.size, -20.0, np.float32)
        for text, probability in self.table.get(said, {END: 1.0}).items():
            token = self.inner.template.ends[0] if text == END else vocabulary.encode(text)[0]
            logits[token] = math.log(probability)
        return logits


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load(str(save_model(tmp_path_factory.mktemp("llama"), bytelevel())), device="cpu")


def preferring(llama: Model, table: Mapping[str, Mapping[str, float]]) -> Model:
    return replace(llama, runtime=Preferring(llama, "", table=table))


def test_the_choice_before_a_corner_is_made_anew(llama: Model) -> None:
    """`check` also tests the streamed texts in the hole: only viable ones are shown."""
    result = check(preferring(llama, CORNER), "f(", ")\n", PLAIN)
    assert (result.text, result.ended) == ("bc", "model")


@pytest.mark.parametrize(
    "change",
    [
        {"a": {"7": 0.3, "8": 0.3, "9": 0.3, "x": 0.01}},  # it was not sure
        {"a": {"7": 0.95, "x": 0.2}},  # the other text is not unlikely
        {"b": {"7": 0.3, "8": 0.3, "9": 0.3, "c": 0.005}},  # the other choice is no better
        {"b": {"7": 0.95, "c": 0.001}},  # nor one also leading to a corner
    ],
)
def test_a_choice_stands_where_no_other_is_likelier(llama: Model, change: Mapping[str, Mapping[str, float]]) -> None:
    result = check(preferring(llama, {**CORNER, **change}), "f(", ")\n", PLAIN)
    assert (result.text, result.ended) == ("ax", "model")


def test_sampled_texts_are_not_led_around_corners(llama: Model) -> None:
    """Another choice would change the distribution of masked sampling."""
    options = replace(PLAIN, temperature=0.01, seed=1)
    assert check(preferring(llama, CORNER), "f(", ")\n", options).text == "ax"


@dataclass
class Drafting:
    """A server's dialect that drafts a scripted model's text, and tells its four best tokens at each step."""

    model: Model
    name: str = "drafting"
    drafts: int = 0

    def draft(self, ids: Sequence[int], tokens: int, around: object = None) -> "Drafting":
        self.drafts += 1
        self._logits = self.model.runtime.prefill(ids)
        return self

    def next(self, cancelled: object) -> Drafted:
        best = np.argsort(-self._logits)[:4].tolist()
        row = {token: float(self._logits[token]) for token in best}
        self._logits = self.model.runtime.step(best[0])
        return Drafted(best[0], row)

    def among(self, ids: Sequence[int], allowed: Sequence[int] | None, cancelled: object) -> Mapping[int, float]:
        return {}

    def score(self, ids: Sequence[int], text: Sequence[int], cancelled: object) -> float | None:
        return None

    def read(self, ids: Sequence[int], cancelled: object) -> float:
        return 0.0

    def recover(self, problem: object) -> None:
        pass

    def close(self) -> None:
        pass


def test_drafts_of_a_server_are_led_around_corners(llama: Model) -> None:
    """Else each token behind the wrong choice may cost a request, to the end of the budget."""
    dialect = Drafting(preferring(llama, CORNER))
    runtime = ServedRuntime(dialect, size=llama.runtime.size, limit=512)
    result = check(replace(llama, runtime=runtime, served=runtime), "f(", ")\n", PLAIN)
    assert (result.text, result.ended) == ("bc", "model")
    assert dialect.drafts <= 3


def test_a_replay_has_the_steps_of_the_text_alone(llama: Model) -> None:
    hole = Brackets.hole("f(", ")\n")
    found = replay(preferring(llama, CORNER), hole, "f(", ")\n", PLAIN)
    assert found is not None and found.text == "bc"
    assert [step.before for step in found.steps] == ["", "b", "bc"]
    assert [next(c.text for c in step.candidates if c.chosen) for step in found.steps[:2]] == ["b", "c"]


def test_a_text_in_circles_ends_after_the_first_copy(llama: Model) -> None:
    table = {"": {"o": 1.0}} | {("once " * 40)[:n]: {("once " * 40)[n]: 1.0} for n in range(1, 199)}
    options = replace(PLAIN, max_tokens=150)
    result = check(preferring(llama, table), "f(", ")\n", options)
    assert result.text in ("once", "once ") and result.ended == "earlier"
    opened = complete(preferring(llama, table), Brackets.hole("f([", ")\n"), "f([", ")\n", options)
    assert opened.complete and len(opened.text) < 30  # the missing rest is written from there, by a bridge if need be
    patient = complete(
        preferring(llama, table), Brackets.hole("f(", ")\n"), "f(", ")\n", replace(options, end_soon=False)
    )
    assert patient.tokens == 150


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("x = [" + "None, " * 4, len("x = [None, ")),
        ("a\n" + "    self.stop()\n" * 3, len("a\n    self.stop()")),  # its first newline is the end of a copy, too
        ("x = [" + "None, " * 3, None),  # too short
        ("x = " + "a" * 24, len("x = a")),  # the shortest copies, and not a letter fewer
        ("x = " + "a" * 23, None),
        ("ab" * 20, 2),  # nothing stands before the first copy
        ("# " + "-" * 60, None),  # a rule
        ("a, b, c, d, e, f, g, h, i, j, k, l", None),
        ("", None),
    ],
)
def test_circles_are_recognised(text: str, end: int | None) -> None:
    assert first_copy_end(text) == end
