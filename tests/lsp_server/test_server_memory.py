"""A session over a real process: typing along, alternatives, secret files, and the final counts."""

import ast
import sys

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient
from suture.lsp_server.telemetry.usage import read_days, together
from suture.parser import language

pytestmark = pytest.mark.asyncio(loop_scope="module")
SERVER = [sys.executable, "-I", "-m", "suture.lsp_server"]
RUNS_COMMANDS = types.WorkspaceClientCapabilities(execute_command=types.ExecuteCommandClientCapabilities())
AUTOMATIC, INVOKED = types.InlineCompletionTriggerKind.Automatic, types.InlineCompletionTriggerKind.Invoked


@pytest_lsp.fixture(scope="module", config=ClientServerConfig(server_command=SERVER))
async def client(lsp_client: LanguageClient):
    capabilities = types.ClientCapabilities(workspace=RUNS_COMMANDS)
    options = {"maxTokens": 12, "languages": {"go": True}}
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=capabilities, initialization_options=options)
    )
    yield
    await lsp_client.shutdown_session()


class Editor:
    """One document, all of it ASCII."""

    count = 0

    def __init__(self, client: LanguageClient, text: str, name: str = "a.py", language_id: str = "python"):
        Editor.count += 1
        self.client, self.text, self.version = client, text, 1
        self.uri = f"file:///memory/{Editor.count}/{name}"
        item = types.TextDocumentItem(self.uri, language_id, 1, text)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def position(self, offset: int) -> types.Position:
        before = self.text[:offset]
        return types.Position(before.count("\n"), offset - before.rfind("\n") - 1)

    def edit(self, start: int, end: int, new: str) -> None:
        span = types.Range(self.position(start), self.position(end))
        self.text = self.text[:start] + new + self.text[end:]
        self.version += 1
        identifier = types.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri)
        change = types.TextDocumentContentChangePartial(range=span, text=new)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    async def ask(self, offset: int, kind=AUTOMATIC) -> list[types.InlineCompletionItem]:
        identifier, context = types.TextDocumentIdentifier(self.uri), types.InlineCompletionContext(kind)
        params = types.InlineCompletionParams(context, identifier, self.position(offset))
        result = await self.client.text_document_inline_completion_async(params)
        assert isinstance(result, types.InlineCompletionList)
        return list(result.items)

    async def one(self, offset: int) -> str:
        (item,) = await self.ask(offset)
        assert isinstance(item.insert_text, str)
        return item.insert_text


HOLE = "def area(width, height):\n    return width * |\n\n\nprint(area(2, 3))\n"


async def test_typing_along_shows_the_rest_and_accepting_is_counted(client):
    editor = Editor(client, HOLE.replace("|", ""))
    at = HOLE.index("|")
    shown = await editor.one(at)
    final = editor.text[:at] + shown + editor.text[at:]
    ast.parse(final)
    for typed in range(1, min(4, len(shown))):
        editor.edit(at + typed - 1, at + typed - 1, shown[typed - 1])
        assert await editor.one(at + typed) == shown[typed:]
    editor.edit(at, at + min(4, len(shown)) - 1, "")  # deleted
    assert await editor.one(at) == shown
    (item,) = await editor.ask(at)
    editor.edit(at, at, shown)
    assert editor.text == final and item.command is not None
    await client.workspace_execute_command_async(
        types.ExecuteCommandParams(item.command.command, item.command.arguments)
    )


async def test_alternatives_differ_fit_and_have_what_is_shown(client):
    editor = Editor(client, HOLE.replace("|", ""))
    at = HOLE.index("|")
    shown = await editor.one(at)
    items = [item.insert_text for item in await editor.ask(at, INVOKED)]
    assert shown in items and len(set(items)) == len(items) <= 3
    for text in items:
        ast.parse(editor.text[:at] + str(text) + editor.text[at:])


async def test_what_is_typed_while_the_answer_is_made_is_never_answered_wrongly(client):
    editor = Editor(client, "import os\n\n")
    for typed in "names = sorted(os.listdir(":
        editor.edit(len(editor.text), len(editor.text), typed)
        for item in await editor.ask(len(editor.text)):
            whole = editor.text + str(item.insert_text)  # brackets of the line may stay open
            ast.parse(whole + "".join(one.text for one in language("python").session().pending(whole, len(whole))))


async def test_nothing_in_a_word_and_in_secret_files(client):
    assert await Editor(client, "value = other\n").ask(10) == []
    assert await Editor(client, "KEY = ", ".env").ask(6) == []
    assert await Editor(client, "KEY = ", "credentials.json", "json").ask(6, INVOKED) == []


async def test_a_language_without_a_grammar_is_switched_on_by_its_name(client):
    text = "package main\n\nfunc area(width int, height int) int {\n\treturn width * \n}\n"
    for item in await Editor(client, text, "a.go", "go").ask(text.index(" \n}") + 1):
        assert isinstance(item.insert_text, str) and item.insert_text.strip()
    assert await Editor(client, text, "a.rs", "rust").ask(text.index(" \n}") + 1) == []


STAGED = """
import suture.lsp_server.runtime.backend as backend
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.proposing.shown import Suggestion

class Staged(CompletionEngine):
    def __init__(self, settings):
        super().__init__(settings)
        self.keeper.load = lambda: None
    def suggest(self, place, cancelled, on_text=None):
        return Suggestion("height", None, True, 0.0)

backend.CompletionEngine = Staged
import sys
import suture.lsp_server.isolation.process as process
process.worker_command = lambda: [sys.executable, "-c", sys.orig_argv[2], "answer"]
if sys.argv[1:] == ["answer"]:
    from suture.lsp_server.isolation.answering import main as answer
    import os
    os._exit(answer())
from suture.lsp_server.cli.main import main
main(sys.argv[1:] or ["serve"])
"""


async def test_what_happened_is_counted_when_the_session_ends(tmp_path, monkeypatch):
    """With a server of its own, to end it, and without a model, to be quick."""
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path))
    other = await ClientServerConfig(server_command=[sys.executable, "-c", STAGED]).start()
    assert isinstance(other, LanguageClient)
    await other.initialize_session(
        types.InitializeParams(capabilities=types.ClientCapabilities(workspace=RUNS_COMMANDS))
    )
    editor = Editor(other, HOLE.replace("|", ""))
    at = HOLE.index("|")
    shown = await editor.one(at)
    (item,) = await editor.ask(at)
    assert item.command is not None
    await other.workspace_execute_command_async(
        types.ExecuteCommandParams(item.command.command, item.command.arguments)
    )
    await other.shutdown_session()
    await other.stop()
    total = together(read_days(tmp_path / "usage.sqlite3").values())
    assert (total.events["requests"], total.events["shown"], total.events["accepted"]) == (2, 1, 1)
    assert (total.events["from_model"], total.events["from_memory"]) == (1, 1)
    assert total.events["characters_saved"] == len(shown)
    content = (tmp_path / "usage.sqlite3").read_bytes()
    assert b"area" not in content and b"memory/" not in content
