"""Suggestions in a form unchanged by each client: the rules of clients that change a text are restated here."""

import asyncio
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
from lsprotocol import types
from pygls.protocol import default_converter
from suture.lsp_server.completion.asking.service import CompletionRequest, CompletionService
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.handlers import completion
from suture.lsp_server.handlers.inline import question_of
from suture.lsp_server.protocol.abilities import Abilities, Indenting, abilities_of
from suture.lsp_server.protocol.client import Client
from suture.lsp_server.protocol.pygls_fixes import LEAST
from suture.lsp_server.protocol.tolerance import structure
from suture.lsp_server.session.documents import Document
from suture.lsp_server.session.snapshot import Snapshot
from suture.lsp_server.settings.spec import Settings

from ..support import staged_engine
from ..support.raw_client import Raw, staged_here

URI = "file:///a.py"


@pytest.fixture
def staged(monkeypatch) -> Iterator[Raw]:
    """A server whose engine does as the document says."""
    with staged_here(monkeypatch) as raw:
        yield raw


def abilities(capabilities: dict, name: str = "some") -> Abilities:
    """The abilities of a client with such an introduction."""
    params = {"capabilities": capabilities, "clientInfo": {"name": name}}
    message = {"method": "initialize", "params": params, "jsonrpc": "2.0", "id": 1}
    return abilities_of(structure(default_converter(), message, types.InitializeRequest, LEAST).params)


def snapshot(text: str) -> Snapshot:
    """A document, as the server has it."""
    return Snapshot(CursorContext(URI, "python", text, 0), Document(URI, "python", 1, text, "utf-16").lines, Settings())


# -- entries of a list


def listing(support: list[int] | None, default: int | None) -> dict:
    """The capabilities of a client announcing these modes of inserting a text."""
    item = {} if support is None else {"insertTextModeSupport": {"valueSet": support}}
    return {"textDocument": {"completion": {"completionItem": item, "insertTextMode": default}}}


@pytest.mark.parametrize(
    ("modes", "default", "name", "indenting"),
    [
        ([1, 2], 2, "some", Indenting.AS_ASKED),
        ([1, 99], None, "some", Indenting.AS_ASKED),
        ([2], 2, "some", Indenting.ADJUSTED),
        ([], 2, "some", Indenting.ADJUSTED),
        (None, 2, "helix", Indenting.ADJUSTED),
        ([2], None, "some", Indenting.AS_WRITTEN),
        (None, 1, "some", Indenting.AS_WRITTEN),
        (None, None, "Eglot", Indenting.AS_WRITTEN),
        (None, None, "helix", Indenting.AS_WRITTEN),
        (None, None, "some", Indenting.UNKNOWN),
    ],
)
def test_who_indents_the_lines_of_an_entry(modes, default, name, indenting):
    assert abilities(listing(modes, default), name).indenting is indenting


def test_a_client_without_capabilities_is_known_for_nothing():
    params = types.InitializeParams(types.ClientCapabilities())
    assert abilities_of(params) == Abilities()


@pytest.mark.parametrize(
    ("indenting", "mode", "text"),
    [
        (Indenting.AS_ASKED, types.InsertTextMode.AsIs, "\n        good"),
        (Indenting.ADJUSTED, None, "\n    good"),
        (Indenting.AS_WRITTEN, None, "\n        good"),
    ],
)
def test_an_entry_keeps_its_indentation(indenting, mode, text):
    line = "    def pop(self):"
    place = CursorContext(URI, "python", line, len(line))
    said = staged_engine.said("\n        good")
    entry = completion.entry(snapshot(line), place, said, "1", Abilities(indenting=indenting))
    assert entry.insert_text_mode == mode
    assert isinstance(entry.text_edit, types.TextEdit) and entry.text_edit.new_text == text


def test_a_text_ends_before_a_line_that_a_client_would_indent_too_far():
    place = CursorContext(URI, "python", "        return x", 16)
    assert completion._unindented(place, " + 1\n\n        y\n    def z") == " + 1\n\ny"


class Asked:
    """A service that notes the allowed number of lines."""

    snoozed = False

    def __init__(self) -> None:
        self.lines: list[int | None] = []

    async def answer(self, asked: CompletionRequest) -> list:
        settings = asked.place.settings or Settings()
        self.lines.append(settings.max_lines)
        return []


@pytest.mark.parametrize("text", ["x = f(", "    x = f(", "\tx = f(", "if x:\n    y = ["])
@pytest.mark.parametrize("indenting", list(Indenting))
def test_a_client_that_may_indent_again_gets_one_line_behind_an_indentation(indenting, text):
    service, asking = Asked(), cast(Client, SimpleNamespace(abilities=Abilities(indenting=indenting)))
    lines = text.split("\n")
    position = types.Position(len(lines) - 1, len(lines[-1]))
    params = types.CompletionParams(types.TextDocumentIdentifier(URI), position)
    asyncio.run(completion.on_completion(cast(CompletionService, service), snapshot(text), asking, params))
    single = indenting is Indenting.UNKNOWN and lines[-1] != lines[-1].lstrip()
    assert service.lines == [1 if single else Settings().max_lines]


# -- commands


@pytest.mark.parametrize(
    ("capabilities", "name", "runs"),
    [
        ({"workspace": {"executeCommand": {}}}, "some", True),
        ({"workspace": {"executeCommand": {"dynamicRegistration": False}}}, "some", True),
        ({"workspace": {"applyEdit": True}}, "some", False),
        ({}, "some", False),
        ({}, "Neovim", True),
    ],
)
@pytest.mark.parametrize("inline", [True, False])
def test_items_have_a_command_for_clients_that_run_it(staged, capabilities, name, runs, inline):
    documents = {"completion": {}, **({"inlineCompletion": {}} if inline else {})}
    staged.initialize({**capabilities, "textDocument": documents}, name=name)
    staged.open(URI, "x = \n")
    params = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 4}, "context": {"triggerKind": 1}}
    method = "textDocument/inlineCompletion" if inline else "textDocument/completion"
    items = staged.request(method, params)["result"]["items"]
    assert items and all(("command" in item) is runs for item in items)


# -- coc.nvim


def tabulated(text: str, tab: int, expand: bool) -> str:
    """A text as coc.nvim inserts it: the blanks at the beginning of each line as the buffer's options have them."""

    def line(written: str) -> str:
        blank = re.match(r"\s*", written)[0]  # type: ignore[index]
        unit = " " * tab if expand else "\t"
        if blank.startswith("\t") and expand:
            new = unit * len(blank)
        elif not blank.startswith("\t") and not expand:
            new = unit * (len(blank) // tab)
        else:
            new = blank
        return new + written.removeprefix(blank)

    return "\n".join(map(line, text.split("\n")))


def by_coc(text: str, offset: int, suggested: str, tab: int, expand: bool) -> str:
    """A file after coc.nvim has accepted a suggestion."""
    shot = snapshot(text)
    line, before = text.count("\n", 0, offset), text[text.rfind("\n", 0, offset) + 1 : offset]
    column = len(before.encode("utf-16-le")) // 2
    context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic)
    params = types.InlineCompletionParams(
        text_document=types.TextDocumentIdentifier(URI), position=types.Position(line, column), context=context
    )
    question = question_of(shot, params, abilities({}, "coc.nvim"))
    start, end = (shot.lines.offset_at((at.line, at.character)) for at in (question.range.start, question.range.end))
    assert question.kept == text[start:end] and end == offset
    return text[:start] + tabulated(question.kept + suggested, tab, expand) + text[end:]


@pytest.mark.parametrize(
    ("left", "suggested"),
    [
        ("\treturn", " result"),
        ("\tx :=", " a.b(c)"),
        ("\tif x ==", " nil {\n\t\treturn x\n\t}"),
        ("x", "  # a"),
        ("x = é", " + 1"),
        ("x = ", "1"),
        ("\t", "x"),
        ("", "x"),
        ("\tx = 1", "\n\ty = 2"),
    ],
)
@pytest.mark.parametrize("tab", [2, 4, 8])
def test_coc_keeps_the_blanks_of_the_first_line(left, suggested, tab):
    assert by_coc(f"é\n{left}\nend\n", 2 + len(left), suggested, tab, False) == f"é\n{left}{suggested}\nend\n"


def test_coc_keeps_any_text_behind_a_word():
    rng = random.Random(64)
    for _ in range(2_000):
        tab, expand = rng.choice((2, 3, 4, 8)), rng.random() < 0.5
        unit = " " * tab if expand else "\t"
        left = unit * rng.randrange(3) + "".join(rng.choices(" ab.=(é\U0001f600", k=rng.randrange(6))) + "x"
        first = " " * rng.randrange(5) + "".join(rng.choices(" ab.=(é", k=4))
        further = [unit * rng.randrange(4) + "y" for _ in range(rng.randrange(3))]
        suggested, right = "\n".join([first, *further]), rng.choice(("", ")", "\nend\n"))
        assert by_coc(left + right, len(left), suggested, tab, expand) == left + suggested + right


def test_other_clients_insert_at_the_cursor():
    shot = snapshot("\treturn\n")
    params = types.InlineCompletionParams(
        text_document=types.TextDocumentIdentifier(URI),
        position=types.Position(0, 7),
        context=types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic),
    )
    question = question_of(shot, params, replace(abilities({}), takes_snippets=True))
    assert (question.range.start.character, question.kept) == (7, "")
