"""Languages checked by tree-sitter, in the server and on the command line: when they are on, and the messages about their suggestions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from suture.lsp_server.cli import doctor_checks
from suture.lsp_server.cli.filling import Filled
from suture.lsp_server.cli.jsonl import answer_lines, check_request, find_language, judged_fields
from suture.lsp_server.cli.judging import with_closers
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging.hidden import Hidden, Reason
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.errors import UserError
from suture.lsp_server.handlers.registration import register_inline_completion
from suture.lsp_server.session.documents import Document
from suture.lsp_server.session.session import Session
from suture.lsp_server.settings.effective import Configuration
from suture.lsp_server.settings.spec import Settings
from suture.model import Completion
from suture.parser import language, pending_behind
from suture.parser.checked import grammars

SUTURE = [sys.executable, "-P", "-m", "suture.lsp_server"]
RUST = "fn main() {\n    let total = add(|);\n}\n\nfn add(a: i32) -> i32 {\n    a + 1\n}\n"

pytestmark = pytest.mark.skipif(
    not (grammars.has("rust") and grammars.has("bash")), reason="needs the grammars of the extra `languages`"
)


class Client:
    """Notes its notifications."""

    def __init__(self) -> None:
        self.logged: list[str] = []
        self.shown: list[str] = []
        inline = SimpleNamespace(dynamic_registration=True)
        documents = SimpleNamespace(inline_completion=inline)
        self.capabilities = SimpleNamespace(text_document=documents)
        self.registered: list[Any] = []

    def log(self, text: str) -> None:
        self.logged.append(text)

    def show(self, text: str) -> None:
        self.shown.append(text)

    async def register(self, *registrations: Any) -> None:
        self.registered += registrations


def session_with(**settings: Any) -> tuple[Session, Client]:
    client = Client()
    session = Session(client, SimpleNamespace(engine=None, grammars=()))  # type: ignore[arg-type]
    session.configuration = Configuration({"suture": settings})
    return session, client


def document(language_id: str, name: str = "a.txt") -> Document:
    return Document(f"file:///w/{name}", language_id, 1, "x")


LARGE = {"model": "qwen2.5-coder-0.5b-q4"}


@pytest.mark.parametrize(
    ("settings", "language_id", "name", "language"),
    [
        ({}, "rust", "a.rs", None),  # the embedded model knows none of these
        (LARGE, "rust", "a.rs", "rust"),
        (LARGE, "shellscript", "a.sh", "bash"),
        (LARGE, "sh", "a.sh", "bash"),
        (LARGE, "", "a.rs", "rust"),
        (LARGE, "plaintext", "a.rs", "rust"),
        (LARGE, "python", "a.rs", "python"),
        (LARGE | {"languages": {"rust": False}}, "rust", "a.rs", None),
        (LARGE | {"languages": {"shellscript": False}}, "shellscript", "a.sh", None),
        (LARGE | {"languages": {"bash": False}}, "shellscript", "a.sh", None),
        (LARGE | {"enable": False}, "rust", "a.rs", None),
        (LARGE, "haskell", "a.hs", None),
        ({"languages": {"rust": True}}, "rust", "a.rs", "rust"),
        ({"languages": {"bash": True}}, "shellscript", "a.sh", "bash"),
        ({"languages": {"haskell": True}}, "haskell", "a.hs", "haskell"),
    ],
)
def test_where_they_are_on(settings: dict[str, Any], language_id: str, name: str, language: str | None) -> None:
    session, _ = session_with(**settings)
    assert session.language_for(document(language_id, name)) == language


def test_a_missing_grammar_is_named_once_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammars, "has", lambda name: name != "rust")
    session, client = session_with(**LARGE)
    for _ in range(2):
        assert session.language_for(document("rust", "a.rs")) is None
    assert len(client.shown) == 1 and "tree-sitter tree-sitter-rust" in client.shown[0] and not client.logged
    monkeypatch.setattr(grammars, "has", lambda name: False)
    assert session.language_for(document("java", "a.java")) is None
    assert len(client.shown) == 1 and "tree-sitter-java" in client.logged[0]  # one message is enough
    session, client = session_with(languages={"rust": True})
    assert session.language_for(document("rust", "a.rs")) == "rust"  # unchecked, and said so
    assert client.shown and session.guarantees() == {"rust": "none"}
    session, client = session_with()
    assert session.language_for(document("rust", "a.rs")) is None and client.shown == []


def test_the_client_is_told_what_is_known() -> None:
    assert session_with()[0].guarantees() == {}
    known = session_with(**LARGE, languages={"haskell": True, "rust": False, "python": True})[0].guarantees()
    assert known["shellscript"] == known["bash"] == "checked" and known["haskell"] == "none"
    assert "rust" not in known and "python" not in known


async def test_the_client_is_asked_for_them() -> None:
    session, client = session_with(languages={"haskell": True})
    await register_inline_completion(session)
    options = client.registered[0].register_options
    asked = [one.language for one in options.document_selector]
    assert {"python", "rust", "shellscript", "bash", "haskell"} <= set(asked)


def test_the_embedded_model_is_not_asked_where_it_stands_in() -> None:
    text, offset = RUST.replace("|", ""), RUST.index("|")
    place = CursorContext("file:///a.rs", "rust", text, offset, settings=Settings())
    engine = CompletionEngine(Settings())
    engine.keeper.load()
    assert engine.suggest(place, lambda: False) == Hidden(Reason.UNTAUGHT)
    on = CursorContext("file:///a.rs", "rust", text, offset, settings=Settings(languages={"rust": True}, certainty=0.0))
    found = engine.suggest(on, lambda: False)
    assert isinstance(found, Suggestion) or found.reason is not Reason.UNTAUGHT


def complete(tmp_path: Path, name: str, marked: str, *more: str) -> dict[str, Any]:
    (tmp_path / name).write_text(marked.replace("|", ""))
    left = marked[: marked.index("|")]
    at = f"{left.count(chr(10)) + 1}:{len(left.rpartition(chr(10))[2])}"
    command = [*SUTURE, "complete", name, "--at", at, "--json", *more]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_the_command_line_says_what_is_known(tmp_path: Path) -> None:
    checked = complete(tmp_path, "a.rs", RUST)
    assert (checked["language"], checked["guarantee"], checked["complete"]) == ("rust", "checked", True)
    assert complete(tmp_path, "a.py", "def f(width):\n    return |\n")["guarantee"] == "exact"
    free = complete(tmp_path, "a.py", "def f(width):\n    if |\n", "--mode", "unconstrained", "--max-tokens", "1")
    assert (free["complete"], free["guarantee"]) == (False, "none")


def test_many_holes_say_what_is_known(tmp_path: Path) -> None:
    left, right = RUST.split("|")
    asked = [
        {"language": "rust", "left": left, "right": right},
        {"language": "json", "left": "[1, ", "right": "]"},
        {"language": "shellscript", "left": "echo ", "right": "\n"},
    ]
    lines = "".join(json.dumps(one) + "\n" for one in asked)
    command = [*SUTURE, "complete", "--jsonl"]
    done = subprocess.run(command, input=lines, cwd=tmp_path, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one.get("guarantee") for one in answers] == ["checked", "exact", "checked"]


HOLES = {
    "sound": ("fn main() {\n    let x = f(", ");\n}\n"),
    "two parts missing": ("fn main() {\n    let x = f(", "1));\n}\n"),
    "broken elsewhere": ("fn f( {\n}\n\nfn main() {\n    let x = f(", ");\n}\n"),
    "pending": ("fn main() {\n    let x = f(", ");\n"),
    "nothing missing": ("fn main() {}\n", ""),
    "more missing than a guess has": ("fn f(a: ", " 2 {\n        return a;\n    }\n    a\n}\n"),
}


@pytest.mark.parametrize("kind", HOLES)
@pytest.mark.parametrize("text", ["1", "g(", "1, 2", "", ", ,", ");", "i32) -> i32 {\n    if a >"])
def test_complete_is_true_where_tree_sitter_sees_no_error_in_the_file(kind: str, text: str) -> None:
    left, right = HOLES[kind]
    place = CursorContext("hole", "rust", left + right, len(left), settings=Settings(), unfinished=True)
    engine = CompletionEngine(Settings())
    session = language("rust").session()
    hole = session.hole(left + right, len(left))
    closers = session.pending(left + right, len(left))
    hole = session.mended(hole, left + right, len(left)) if closers else hole
    assert hole.state is not None
    after = hole.state.advance(text)
    completion = Completion(text, 1, "model", after is not None and after.complete, 0.0, 0.0, 0.0)
    pending = pending_behind(hole, text) if completion.complete else ()
    fields = judged_fields(Filled(hole, (completion,), True, "names", pending), place, engine)
    from tree_sitter import Parser

    tree = Parser(grammars.load("rust")).parse((left + text + right).encode())
    assert fields["complete"] == (completion.complete and not tree.root_node.has_error)
    if fields["guarantee"] == "checked":
        whole = Parser(grammars.load("rust")).parse((left + text + with_closers(right, pending)).encode())
        assert not whole.root_node.has_error and (fields["complete"] or pending)


def test_what_asks_for_more_than_a_check_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    question = json.dumps({"language": "rust", "left": "", "middle": "", "right": ""}).encode()
    (answer,) = answer_lines([question], check_request)
    assert "checked by tree-sitter" in json.loads(answer)["error"]
    monkeypatch.setattr(grammars, "has", lambda name: False)
    (answer,) = answer_lines([question.replace(b"rust", b"java")], check_request)
    assert "checked by tree-sitter" in json.loads(answer)["error"]  # not a package, which would not help
    with pytest.raises(UserError, match="tree-sitter-java"):
        find_language("java")


def test_the_doctor_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = doctor_checks._checked()
    assert found.level == "ok" and "rust" in found.found
    monkeypatch.setattr(grammars, "has", lambda name: name == "rust")
    found = doctor_checks._checked()
    assert "bash" not in found.found and "tree-sitter-bash" in found.advice and "tree-sitter-rust" not in found.advice
