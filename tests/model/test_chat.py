"""Weights tuned to answer are asked for a file as an answer, if nothing is behind the cursor."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from suture.model import Model, Options, complete, load
from suture.model.decoding.api import candidates
from suture.model.prompting.chat import chat_template, in_chat, is_tuned
from suture.model.prompting.fim_template import TURN_BEGIN, TURN_END, control_tokens
from suture.parser import language

from ..support.scripted import Scripted

LEFT = "def one():\n    "
PYTHON = Options(language="python")


@pytest.fixture
def tuned(monkeypatch: pytest.MonkeyPatch) -> Model:
    """The embedded model, as if it had the marks of a chat."""
    model = load()
    for token, mark in zip(model.template.ends, ("<|im_start|>", "<|im_end|>"), strict=False):
        monkeypatch.setitem(model.vocabulary.ids, mark, token)
    return replace(model, answers=True)


@pytest.mark.parametrize(
    ("name", "tuned"),
    [
        ("qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", True),
        ("Qwen3-Coder-30B-A3B-Instruct", True),
        ("gemma-3-1b-it", True),
        ("deepseek_chat", True),
        ("Qwen2.5-Coder-0.5B.Q4_K_M.gguf", False),
        ("granite-4.0-350m-base", False),
        ("bitnet", False),
        (None, False),
    ],
)
def test_the_name_says_whether_weights_were_tuned_to_answer(name: str | None, tuned: bool) -> None:
    assert is_tuned(name) is tuned


@pytest.mark.parametrize(
    ("asked", "title", "fence"), [("python", "Python", "python"), ("typescriptreact", "Typescript", "typescript")]
)
def test_the_file_is_an_answer_that_has_begun(tuned: Model, asked: str, title: str, fence: str) -> None:
    template = in_chat(tuned, " \r\n", Options(language=asked)).template
    spelled = {token: mark for mark, token in tuned.vocabulary.ids.items() if mark.startswith("<|im_")}
    parts = [
        spelled[part] if part in spelled else tuned.vocabulary.decode([part]).decode()
        for part in template.fill(tuned.vocabulary.encode(LEFT), [])
    ]
    assert "".join(parts) == (
        f"<|im_start|>user\nWrite a {title} file.<|im_end|>\n<|im_start|>assistant\n```{fence}\n{LEFT}"
    )
    assert set(tuned.template.ends) < set(template.ends)
    assert {tuned.vocabulary.decode([end]).strip(b"\n")[:3] for end in template.ends} <= {b"", b"```"}


def test_other_places_and_models_are_asked_as_before(tuned: Model) -> None:
    assert in_chat(tuned, "\n\nx = 1\n", PYTHON) is tuned
    assert in_chat(tuned, "", Options()) is tuned
    assert in_chat(tuned, "", replace(PYTHON, mode="unconstrained")) is tuned
    plain = replace(tuned, answers=False)
    assert in_chat(plain, "", PYTHON) is plain


def test_a_body_is_asked_for_as_an_answer_whatever_is_behind_it(tuned: Model) -> None:
    behind = "\n\ndef other():\n    pass\n"
    template = in_chat(tuned, behind, replace(PYTHON, body=True)).template
    assert template == in_chat(tuned, "", PYTHON).template != tuned.template
    assert in_chat(replace(tuned, answers=False), behind, replace(PYTHON, body=True)).template == tuned.template


@dataclass
class Voices(Scripted):
    """A runtime that writes one text as an answer, and another for the middle."""

    texts: dict[str, str] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    """how long each prompt is"""

    def prefill(self, ids: Sequence[int]) -> np.ndarray:
        form = "answer" if ids[0] == self.inner.vocabulary.ids["<|im_start|>"] else "middle"
        self.start, self.text = self.asked.setdefault(form, len(ids)), self.texts[form]
        return super().prefill(ids)


@pytest.mark.parametrize(
    ("answer", "middle", "n", "budget_ms", "texts"),
    [
        ("return 1", "return two", 3, 60_000.0, ["return 1", "return two"]),
        ("return 1", "return two", 1, 60_000.0, ["return 1"]),
        ("return 1", "return two", 3, 0.0, ["return 1"]),  # no time for it
    ],
)
def test_the_text_for_the_middle_is_the_last_alternative(
    tuned: Model, answer: str, middle: str, n: int, budget_ms: float, texts: list[str]
) -> None:
    right = "\n\ndef two():\n    pass\n"
    voices = Voices(tuned, "", texts={"answer": answer, "middle": middle})
    model = replace(tuned, runtime=voices)  # pyright: ignore[reportArgumentType]
    hole = language("python").hole(LEFT, right)
    assert hole.state is not None
    options = Options(language="python", heal=False, max_tokens=12, body=True, max_lines=0, bridge_ms=50)
    several = candidates(model, hole.state, LEFT, right, options, n, budget_ms=budget_ms)
    said = [one.text.rstrip() for one in several]
    assert (said[0], said[-1]) == (texts[0], texts[-1]) and all(one.complete for one in several)
    assert ("middle" in voices.asked) == (len(texts) > 1)


def test_a_vocabulary_without_marks_has_no_chat() -> None:
    model = load()
    assert chat_template(model.vocabulary, model.template, "python") is None
    assert in_chat(replace(model, answers=True), "", PYTHON).template is model.template


def test_a_server_whose_vocabulary_is_asked_tells_the_marks_of_a_turn() -> None:
    assert {TURN_BEGIN, TURN_END} < set(control_tokens())


def test_the_fence_ends_the_text(tuned: Model) -> None:
    """The model closes its answer where a text in the file would continue."""
    model = replace(tuned, runtime=Scripted(tuned, "return 1\n```"))  # pyright: ignore[reportArgumentType]
    hole = language("python").hole(LEFT, "")
    assert hole.state is not None
    done = complete(model, hole.state, LEFT, "", Options(language="python", heal=False, max_tokens=20))
    assert (done.text.rstrip(), done.ended) == ("return 1", "model")


def test_who_asks_before_closing_brackets_gets_an_answer(tuned: Model) -> None:
    asks = Options(language="typescript", fullest=True)
    answer = in_chat(tuned, "", asks).template
    assert in_chat(tuned, "\n  }\n});\n", asks).template == answer != tuned.template
    assert in_chat(tuned, "\n  }\n  run();\n});\n", asks) is tuned
    assert in_chat(tuned, "\n  }\n});\n", replace(asks, fullest=False)) is tuned
