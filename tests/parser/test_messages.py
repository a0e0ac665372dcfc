"""Each message of a refusal occurs once in its language, and is the same for a text in progress and for a whole file."""

import ast
from collections import defaultdict
from itertools import accumulate
from pathlib import Path

import pytest
from suture.parser import language
from suture.parser.languages.python.semantics.document import Document
from suture.parser.languages.python.semantics.lines import parse_file
from suture.parser.languages.python.semantics.scopes import module_errors
from suture.parser.languages.registry import FOLDERS
from suture.parser.scoping.state import SemanticState

from ..support import oracles
from .compile_snippets import DELETES_STARRED, snippets

_LANGUAGES = Path(__file__).resolve().parents[2] / "parser" / "languages"
_OTHER_WORDS = (
    "no future feature starts with",
    "'yield' outside",
    "'await' outside async",
    "'break' outside",
    "'continue' not",
)
"""The text so far may be wrong in two ways; the file's end decides between them."""
_WORDS = 3
"""A text of fewer words is ambiguous."""


def _texts(tree: ast.Module) -> list[str]:
    """The texts in code, with empty braces for their values."""
    inner: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.JoinedStr, ast.Expr)):
            inner.update(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.Constant))
    texts: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            texts.append("".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inner:
            texts.append(node.value)
    return texts


@pytest.mark.parametrize("folder", [folder for folder in FOLDERS if (_LANGUAGES / folder / "semantics").is_dir()])
def test_each_message_stands_once(folder: str) -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for file in sorted((_LANGUAGES / folder / "semantics").glob("*.py")):
        for text in _texts(ast.parse(file.read_text())):
            if len(text.split()) >= _WORDS:
                places[text].append(file.name)
    assert len(places) > 30
    assert {text: files for text, files in places.items() if len(files) > 1} == {}


@pytest.mark.parametrize("version", ["3.8", "3.11", "3.14"])
def test_a_line_is_refused_in_the_words_of_the_file(version: str) -> None:
    """Typed character by character, a text refused by the compiler is refused with one of the errors of the whole."""
    parsed = oracles.oracle(version).parse(snippets())
    same = 0
    wrong: list[tuple[str, str]] = []
    for text in [text for text, valid in zip(snippets(), parsed, strict=True) if valid and text not in DELETES_STARRED]:
        document = Document((3, int(version.partition(".")[2])))
        document.change(text)
        errors = module_errors(parse_file(text, document.dialect), document.dialect)
        state = language("python", version).hole("", "", level="compile", exact=True).state
        for typed in accumulate(text):
            assert isinstance(state, SemanticState)
            why = state.why_refused(typed[-1])
            if why is not None:
                same += str(why) in errors
                if str(why) not in errors and not (errors and str(why).startswith(_OTHER_WORDS)):
                    wrong.append((typed, str(why)))
                break
            state = state.advance(typed[-1])
    assert same > 100
    assert wrong == []
