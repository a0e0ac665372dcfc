"""Names with their imports: the notes, the suggestions, and a client's part."""

import ast
import json
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pyflakes.checker import Checker
from pyflakes.messages import UndefinedName
from pytest_lsp import ClientServerConfig, LanguageClient
from suture.common.constraint import NoConstraint
from suture.lsp_server.cli.jsonl import complete_request
from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.judging.hidden import Hidden
from suture.lsp_server.completion.proposing import imports
from suture.lsp_server.settings.spec import Settings
from suture.parser.importing import ImportRequest, Insertion, inserted
from suture.parser.language import importer_of

SERVER = [sys.executable, "-I", "-m", "suture.lsp_server"]
LEFT = "import sys\n\n\ndef main():\n    here = P"
RIGHT = "\n\n\nmain()\n"


def undefined(text: str) -> set[str]:
    """The undefined names of a text, by pyflakes."""
    return {one.message_args[0] for one in Checker(ast.parse(text)).messages if isinstance(one, UndefinedName)}


# -- notes


class Refuses(NoConstraint):
    """A constraint that refuses some words, and has doubts about others."""

    words: tuple[str, ...] = ()
    unlikely: tuple[str, ...] = ()
    said: str = ""

    def advance(self, text: str) -> "Refuses | None":  # type: ignore[override]
        after = Refuses()
        object.__setattr__(after, "words", self.words)
        object.__setattr__(after, "unlikely", self.unlikely)
        object.__setattr__(after, "said", self.said + text)
        return None if (self.said + text).endswith(self.words) else after

    @property
    def doubtful(self) -> bool:
        return self.said.endswith(self.unlikely)


def watch(left: str, words: tuple[str, ...], unlikely: tuple[str, ...] = ("\0",)) -> tuple[imports.Watch, Any]:
    importer = importer_of("python")
    assert importer is not None
    found = imports.Watch(imports.Importable(importer, ImportRequest(left), len(left)), left)
    constraint = Refuses()
    object.__setattr__(constraint, "words", words)
    object.__setattr__(constraint, "unlikely", unlikely)
    return found, found.over(constraint)


def test_the_first_choice_is_noted_where_it_is_refused():
    found, state = watch("x = ", ("json", "os"))
    assert state.advance("json") is None and state.advance("os") is None
    assert list(found.wanted) == ["json"]


def test_what_comes_second_is_not_noted():
    found, state = watch("x = ", ("json",))
    assert state.advance("1") is not None and state.advance("json") is None
    assert not found.wanted


def test_a_beginning_stands_for_the_names_that_it_begins():
    found, state = watch("x = ", ("Ordered",))
    assert state.advance("Ordered") is None
    assert list(found.wanted) == ["OrderedDict"]


def test_the_word_in_front_of_the_cursor_belongs_to_the_name():
    found, state = watch("x = js", ("on",))
    assert state.advance("on") is None
    assert list(found.wanted) == ["json"]
    found, state = watch("x = self.js", ("on",))
    assert state.advance("on") is None
    assert not found.wanted


def test_attributes_and_unknown_names_are_not_noted():
    for text in (".json", "jsonify", "self.json"):
        found, state = watch("x = ", (text,))
        assert state.advance(text) is None
        assert not found.wanted, text


def test_of_many_names_that_begin_so_few_are_given():
    found, _ = watch("x = ", ())
    for word in ("s", "Ordered", "zzz"):
        names = found.importable.beginning(word)
        assert all(name.startswith(word) for name in names) and len(names) <= 8
        assert (len(names) == 8) is (word == "s") and bool(names) is (word != "zzz")


def test_a_text_that_needs_one_more_import_is_made_again(monkeypatch):
    found, _ = watch("x = ", ())
    found.wanted["json"] = None
    made = []

    def suggest(again: imports.Watch) -> Any:
        made.append([one.text for one in session.inserted])
        again.wanted["os"] = None
        return None if len(made) == 1 else SimpleNamespace(text="json.load(os.environ)")

    session: Any = SimpleNamespace(inserted=())
    monkeypatch.setattr(imports, "_judged", lambda importable, session, cursor, found, used, cancelled: used)
    assert imports.with_imports(found, session, Cursor.at("x = ", 4), suggest) == ["json", "os"]
    assert made == [["import json\n\n"], ["import json\nimport os\n\n"]] and session.inserted == ()


def test_a_doubtful_first_choice_is_noted():
    found, state = watch("x = ", (), ("json",))
    after = state.advance("json")
    assert after.doubtful and list(found.wanted) == ["json"]
    found, state = watch("x = ", (), ("json",))
    state.advance("1")
    assert state.advance("json").doubtful and not found.wanted


# -- suggestions


@pytest.fixture(scope="module")
def engine() -> CompletionEngine:
    engine = CompletionEngine(Settings(device="cpu"), patient=True)
    engine.keeper.load()
    return engine


def never() -> bool:
    return False


def test_a_suggestion_comes_with_the_import_and_the_file_is_valid_with_both(engine):
    place = CursorContext("a", "python", LEFT + RIGHT, len(LEFT), "3.11", imports=True)
    found = engine.suggest(place, never)
    assert not isinstance(found, Hidden)
    assert found.text == "ath" and found.imports == ("from pathlib import Path",)
    assert found.edits == (Insertion(len("import sys\n"), "from pathlib import Path\n"),)
    assert not undefined(inserted(LEFT, found.edits) + found.text + RIGHT)
    assert engine.alternatives(place, 3, never)[0].imports == found.imports


def test_none_does_where_nobody_asks_for_it_or_names_do_not_count(engine):
    place = CursorContext("a", "python", LEFT + RIGHT, len(LEFT), "3.11")
    for one in (place, CursorContext("a", "python", LEFT + RIGHT, len(LEFT), "3.11", imports=True, level="compile")):
        assert not any(each.imports for each in engine.alternatives(one, 3, never))


def test_what_is_there_already_needs_no_import(engine):
    left = "from pathlib import Path\n\n\ndef main():\n    here = P"
    place = CursorContext("a", "python", left + RIGHT, len(left), "3.11", imports=True)
    found = engine.suggest(place, never)
    assert not isinstance(found, Hidden) and found.text.startswith("ath") and not found.imports


def test_a_request_gets_edits_where_it_asks_for_them(engine):
    request = {"language": "python", "left": LEFT, "right": RIGHT, "version": "3.11"}
    assert "edits" not in complete_request(request, engine, {})
    answer = complete_request(request | {"imports": True}, engine, {})
    edits = answer["edits"]
    assert edits == [{"at": len("import sys\n"), "text": "from pathlib import Path\n"}] and answer["complete"]
    answer = complete_request(request | {"imports": True}, engine, {}, n=2)
    assert answer["edits"] == edits and all("edits" in one for one in answer["alternatives"])
    assert complete_request({"language": "json", "left": "[", "right": "]", "imports": True}, engine, {})["edits"] == []
    json.dumps(answer)


# -- over the protocol


@pytest_lsp.fixture(scope="module", config=ClientServerConfig(server_command=SERVER))
async def client(lsp_client: LanguageClient):
    runs = types.ExecuteCommandClientCapabilities()
    workspace = types.WorkspaceClientCapabilities(apply_edit=True, execute_command=runs)
    options = {"imports": True, "snippets": True}
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(workspace=workspace), initialization_options=options
        )
    )
    applied: list[types.ApplyWorkspaceEditParams] = []

    @lsp_client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        applied.append(params)
        return types.ApplyWorkspaceEditResult(applied=True)

    lsp_client.applied = applied  # type: ignore[attr-defined]
    yield
    await lsp_client.shutdown_session()


def open_document(client: LanguageClient, name: str, text: str) -> types.TextDocumentIdentifier:
    uri = f"file:///nowhere/{name}.py"
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, text)))
    return types.TextDocumentIdentifier(uri)


def position(text: str, offset: int) -> types.Position:
    line = text.count("\n", 0, offset)
    return types.Position(line, offset - text.rfind("\n", 0, offset) - 1)


async def item_for(client: LanguageClient, document: types.TextDocumentIdentifier, text: str, offset: int) -> Any:
    answer = await client.text_document_inline_completion_async(
        types.InlineCompletionParams(
            text_document=document,
            position=position(text, offset),
            context=types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic),
        )
    )
    (item,) = answer.items  # type: ignore[union-attr]
    return item


def plain(item: Any) -> str:
    """The text of an item, without the cursor's place in it."""
    said = item.insert_text
    return said if isinstance(said, str) else said.value.replace("$0", "")


async def accept(client: LanguageClient, item: Any) -> list[types.ApplyWorkspaceEditParams]:
    """Run an item's command and return the edits requested by the server."""
    client.applied.clear()  # type: ignore[attr-defined]
    params = types.ExecuteCommandParams(item.command.command, item.command.arguments)
    await client.workspace_execute_command_async(params)
    # The answer to another request comes after the command's own request.
    await client.workspace_execute_command_async(types.ExecuteCommandParams("suture.status", []))
    return list(client.applied)  # type: ignore[attr-defined]


@pytest.mark.asyncio(loop_scope="module")
async def test_the_command_of_an_accepted_suggestion_adds_the_import_once(client):
    document = open_document(client, "a", LEFT + RIGHT)
    item = await item_for(client, document, LEFT + RIGHT, len(LEFT))
    assert plain(item).startswith("ath") and list(item.command.arguments[1:]) == ["from pathlib import Path"]
    written = LEFT + plain(item) + RIGHT
    change = types.TextDocumentContentChangeWholeDocument(text=written)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, document.uri), [change])
    )
    (asked,) = await accept(client, item)
    assert asked.edit.changes is not None
    (edit,) = asked.edit.changes[document.uri]
    assert edit.range.start == edit.range.end == types.Position(1, 0)
    lines = [*map(str, written.splitlines(keepends=True))]
    lines.insert(edit.range.start.line, edit.new_text)
    assert not undefined("".join(lines)) and "here = Path" in "".join(lines)
    assert await accept(client, item) == []


@pytest.mark.asyncio(loop_scope="module")
async def test_nothing_is_added_where_the_text_above_has_changed(client):
    document = open_document(client, "b", LEFT + RIGHT)
    item = await item_for(client, document, LEFT + RIGHT, len(LEFT))
    change = types.TextDocumentContentChangeWholeDocument(text="x = 1\n" + LEFT + plain(item) + RIGHT)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, document.uri), [change])
    )
    assert await accept(client, item) == []
