"""The words of the code: nouns of the field in docstrings and comments, and telling names of variables."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MOST_WHATS = {"benchmarks": 12.0}
"""The most in 1,000 words of docstrings and comments, by default 2: more are clauses in place of nouns (docs/glossary.md has the nouns)."""
VAGUE = {"at", "found", "known", "one"}
MOST_VAGUE = {"benchmarks": 35, "common": 0, "lsp_server": 1, "model": 0, "parser": 11, "slua": 0, "training": 0}
"""The most variables, parameters and fields with one of these names, until somebody names them; the numbers only fall."""
SLACK = 30
ASKS = re.compile(
    r"(?:[\w, ]+: )?(?:is|are|was|were|does|do|did|has|have|had|may|can|could|must|will|would|should)\b[^.:]*\?",
    re.IGNORECASE,
)
MOST_QUESTIONS = {"benchmarks": 1, "common": 0, "lsp_server": 0, "model": 0, "parser": 0, "slua": 0, "training": 0}
"""The most documenting strings that ask instead of stating "Whether it holds"."""


def prose(text: str) -> Iterator[str]:
    """The docstrings and comments of a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def whats(texts: Iterator[str]) -> float:
    """The number of "what" in 1,000 words."""
    words = [word.lower() for text in texts for word in re.findall(r"[A-Za-z']+", text)]
    return 1000 * sum(word in ("what", "whatever", "what's") for word in words) / max(1, len(words))


def vague_names(text: str) -> int:
    """The number of vague names of variables, parameters and fields in a module."""
    bound = (
        node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else getattr(node, "arg", None)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name | ast.arg)
    )
    return sum(name in VAGUE for name in bound)


def questions(text: str) -> list[str]:
    """The documenting strings of modules, classes, functions and fields that begin with a question."""
    strings = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr))
    documents = (node.value for node in strings if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [document for document in documents if isinstance(document, str) and ASKS.match(" ".join(document.split()))]


def sources(package: str) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted((ROOT / package).rglob("*.py"))]


@pytest.mark.parametrize("package", MOST_VAGUE)
def test_docstrings_and_comments_have_nouns(package):
    assert whats(part for text in sources(package) for part in prose(text)) <= MOST_WHATS.get(package, 2.0)


@pytest.mark.parametrize("package", MOST_VAGUE)
def test_variables_say_which_thing_they_are(package):
    """If many have been named, lower the number here."""
    count = sum(map(vague_names, sources(package)))
    assert MOST_VAGUE[package] - SLACK <= count <= MOST_VAGUE[package]


@pytest.mark.parametrize("package", MOST_QUESTIONS)
def test_docstrings_state(package):
    """If some have been restated, lower the number here."""
    asked = [question for text in sources(package) for question in questions(text)]
    assert len(asked) <= MOST_QUESTIONS[package], asked


def test_vague_words_are_counted():
    text = 'def read(at, *, one=1):\n    """What it is. """\n    found = [known for known in at]  # what\n    return found\n'
    assert vague_names(text) == 4
    assert whats(prose(text)) == 1000 * 2 / 4


def test_questions_are_found():
    asks = '"""Is it so? Then it is."""\n\nx: bool\n"""inside: may it come?"""\n'
    assert questions(asks) == ["Is it so? Then it is.", "inside: may it come?"]
    assert (
        questions('"""Whether it is so; None: is that known?"""\ndef f():\n    """Ask: "does it?" of all."""\n') == []
    )
