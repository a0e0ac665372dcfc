"""Markdown: fenced code is completed by its own language's engine, prose by a larger model alone."""

from dataclasses import replace

import pytest
from suture.lsp_server.completion.engine.cells import Cells
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.fences import in_fence
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging.hidden import Hidden, Reason
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.settings.spec import Settings

ON = Settings(device="cpu", languages={"markdown": True})


def place(marked: str, language: str = "markdown") -> CursorContext:
    text, offset = marked.replace("|", ""), marked.index("|")
    return CursorContext("README.md", language, text, offset, path="/w/README.md", settings=ON)


def shown(marked: str) -> tuple[str, str]:
    at = in_fence(place(marked))
    return at.language, f"{at.text[: at.offset]}|{at.text[at.offset :]}"


@pytest.mark.parametrize(
    ("marked", "language", "code"),
    [
        ("# A\n\n```python\nx = |\n```\n\nText.\n", "python", "x = |"),
        ("```py\nx = |\ny = 1\n```", "python", "x = |\ny = 1"),
        ("```python\n|\n```\n", "python", "|"),
        ("```python\r\nx = |\r\n```\r\n", "python", "x = |"),
        ("~~~ go title=a.go\npackage a|\n~~~\n", "go", "package a|"),
        ("```ts\nlet a = |\n```\n", "typescript", "let a = |"),
        ("```tsx\n|\n```\n", "typescriptreact", "|"),
        ("```JSON\n[|]\n```\n", "json", "[|]"),
        ("```{python}\nx = |\n```\n", "python", "x = |"),
        ("```{.python .numberLines}\nx = |\n```\n", "python", "x = |"),
        ("````python\nx = '''\n```\n|'''\n````\n", "python", "x = '''\n```\n|'''"),
        ("```js\n$(|)\n```\n", "javascript", "$(|)"),
        # An unclosed block does not take the rest of the document.
        ("```python\nx = |\n\nText.\n", "python", "x = |"),
        ("```python\nx = |\n\nText.\n\n```go\npackage a\n```\n", "python", "x = |"),
        ("```python\nx = |", "python", "x = |"),
    ],
)  # fmt: skip
def test_fenced_code_is_a_document_of_its_own(marked: str, language: str, code: str) -> None:
    assert shown(marked) == (language, code)


@pytest.mark.parametrize(
    "marked",
    [
        "Text |\n\n```python\nx = 1\n```\n",
        "```python\nx = 1\n```\nText |\n",
        "```python\nx = 1\n|```\n",
        "```py|thon\nx = 1\n```\n",
        "```python|",
        "```\nx = |\n```\n",
        "```brainfuck\n+|\n```\n",
        "```python\n>>> x = |\n```\n",
        "```js\n$ node |\n```\n",
        "````markdown\n```python\nx = |\n```\n````\n",
        "`python` |\n",
    ],
)
def test_what_is_no_fenced_code_stays_prose(marked: str) -> None:
    at = place(marked)
    assert in_fence(at) is at


def test_a_block_sees_the_names_of_the_blocks_above() -> None:
    at = Cells().joined(place("```python\na = 1\n```\n\n```go\npackage b\n```\n\nAnd:\n\n```python\nprint(|)\n```\n"))
    assert (at.language, at.text[: at.offset], at.text[at.offset :]) == ("python", "a = 1\nprint(", ")")
    assert at.prose.endswith("And:\n\n```python\n")


def test_what_is_selected_in_the_editor_s_list_moves_along() -> None:
    marked = "Text.\n\n```python\nprint(|)\n```\n"
    at = place(marked)
    typed = at.text[: at.offset] + "ab" + at.text[at.offset :], at.offset + 2
    assert in_fence(replace(at, typed=typed)).typed == ("print(ab)", 8)


def test_the_embedded_model_completes_the_code_and_leaves_the_prose() -> None:
    engine = CompletionEngine(ON)
    code = "Add numbers:\n\n```python\ndef add(first, second):\n    total = first + second\n    return |\n```\n\nMore |text"
    at = place(code.replace("|text", "text"))
    found = [one.text for one in engine.alternatives(at, 3, lambda: False)]
    assert found and all("\n```" not in text for text in found)
    assert any(text.startswith("total") for text in found)
    prose = place(code.replace("return |", "return total"))
    assert engine.suggest(prose, lambda: False) == Hidden(Reason.PROSE)
    off = replace(at, settings=replace(ON, languages={"markdown": True, "python": False}))
    assert engine.suggest(off, lambda: False) == Hidden(Reason.SWITCHED_OFF)
    assert not isinstance(engine.suggest(off, lambda: False), Suggestion)
