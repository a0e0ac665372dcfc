"""The start: modules not needed for a first answer are not imported before it."""

import json
import subprocess
import sys

import pytest

LATE = {  # package: its use
    "lark": "compiling a grammar that is not in the cache",
    "interegular": "the same",
    "regex": "the same",
    "tree_sitter": "a language without an engine",
    "torch": "a model of safetensors",
    "transformers": "the same",
    "lupa": "running scripts",
    "websockets": "a client over a network",
    "filelock": "downloads",
    "difflib": "an unknown model's name",
    "xllamacpp": "nothing: it runs in a child",
    "multiprocessing": "nothing",
    "statistics": "nothing",
    "unittest": "nothing",
}
PLACES = {
    "python": ("def total(prices):\n    return sum(", "\n"),
    "go": ("package main\n\nfunc total(prices []int) int {\n\treturn len(", "\n}\n"),
    "typescript": ("function total(prices: number[]) {\n  return prices.", "\n}\n"),
}
LANGUAGES = "suture.parser.languages."
FIRST_ANSWER = """
import json, sys
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.settings.spec import Settings

language, left, right = json.loads(sys.stdin.read())
engine = CompletionEngine(Settings())
engine.keeper.load()
engine.sessions.prepare(language)
engine.suggest(CursorContext("file:///first", language, left + right, len(left)), lambda: False)
print(json.dumps(sorted(sys.modules)))
"""


def imported(language: str) -> set[str]:
    """The modules imported by the time of a first answer."""
    given = json.dumps([language, *PLACES[language]])
    done = subprocess.run([sys.executable, "-c", FIRST_ANSWER], input=given, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("language", PLACES)
def test_what_no_first_answer_needs_is_imported_late(language: str) -> None:
    imported(language)  # now the tables are in the cache
    modules = imported(language)
    assert {name.partition(".")[0] for name in modules} & set(LATE) == set()
    own = [name.split(".")[3] for name in modules if name.startswith(LANGUAGES) and name.endswith(".language")]
    assert set(own) == {"generic", language}
