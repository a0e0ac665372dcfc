"""The server with the embedded model, over a real process: every suggestion fits, in every encoding."""

import ast
import re
import sys

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient
from suture.parser import language

SERVER = [sys.executable, "-I", "-m", "suture.lsp_server"]
UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def position_in(text: str, offset: int, encoding: str) -> types.Position:
    """The position of an offset, as a client counts it."""
    starts = [0, *[match.end() for match in re.finditer(r"\r\n|\r|\n", text)]]
    line = max(number for number, start in enumerate(starts) if start <= offset)
    codec, unit = UNITS[encoding]
    return types.Position(line, len(text[starts[line] : offset].encode(codec)) // unit)


# A real process, the real embedded model, the real parser


@pytest_lsp.fixture(
    scope="module",
    params=["utf-8", "utf-16", "utf-32"],
    config=ClientServerConfig(server_command=SERVER),
)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest):
    general = types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind(request.param)])
    capabilities = types.ClientCapabilities(general=general)
    options = {"maxTokens": 12}
    result = await lsp_client.initialize_session(
        types.InitializeParams(capabilities=capabilities, initialization_options=options)
    )
    assert result.capabilities.position_encoding == request.param
    assert result.capabilities.inline_completion_provider == types.InlineCompletionOptions()
    lsp_client.encoding = request.param  # type: ignore[attr-defined]
    yield
    await lsp_client.shutdown_session()


class Editor:
    """An editor with one document: edits are applied to its own text and sent to the server."""

    count = 0

    def __init__(self, client: LanguageClient, text: str, language_id: str = "python", name: str = "é a.py"):
        Editor.count += 1
        self.client, self.text, self.version = client, text, 1
        self.uri = f"file:///tmp/{Editor.count}/{name}"
        item = types.TextDocumentItem(self.uri, language_id, self.version, text)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def position(self, offset: int) -> types.Position:
        return position_in(self.text, offset, self.client.encoding)  # type: ignore[attr-defined]

    def edit(self, start: int, end: int, new: str) -> None:
        range_ = types.Range(self.position(start), self.position(end))
        self.text = self.text[:start] + new + self.text[end:]
        self.version += 1
        identifier = types.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri)
        change = types.TextDocumentContentChangePartial(range=range_, text=new)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    async def ask(self, offset: int, trigger=types.InlineCompletionTriggerKind.Automatic) -> list:
        result = await self.client.text_document_inline_completion_async(
            types.InlineCompletionParams(
                text_document=types.TextDocumentIdentifier(self.uri),
                position=self.position(offset),
                context=types.InlineCompletionContext(trigger),
            )
        )
        assert isinstance(result, types.InlineCompletionList)
        return list(result.items)

    async def check(self, offset: int) -> str:
        """Ask at an offset: there is one suggestion, at the cursor, and the file is valid with it."""
        (item,) = await self.ask(offset)
        assert item.range == types.Range(self.position(offset), self.position(offset))
        assert isinstance(item.insert_text, str) and item.insert_text.strip()
        ast.parse(self.text[:offset] + item.insert_text + self.text[offset:])
        return item.insert_text


pytestmark = pytest.mark.asyncio(loop_scope="module")

# None of these is valid as it is, so each needs some text, whatever the model would like.
HOLES = [
    "def area(width, height):\n    return width * $0\n\n\nprint(area(2, 3))\n",
    "total = $0",
    'name = "😀𝒳é漢"; total = 2 * $0  # 😀\n',
    "# \u2028 one line\f\x1c\x85 still\nx = (1 + $0)\n",
    "class A:\n\tdef f(self):\n\t\tif $0:\n\t\t\tpass\n\telse_ = 1\n",
    'é = 1\nprint(f"{$0}")\n',
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("hole", HOLES)
async def test_a_suggestion_fits(client, hole, newline):
    hole = hole.replace("\n", newline)
    offset = hole.index("$0")
    editor = Editor(client, hole.replace("$0", ""))
    suggestion = await editor.check(offset)
    assert not re.search(r"<fim_|<\|endoftext", suggestion)
    if newline != "\n":
        assert not re.search(r"(?<!\r)\n", suggestion)


async def test_suggestions_follow_incremental_edits(client):
    text = "# 😀\f\u2028\r\nx = 1\r\ny = 2\r\n"
    editor = Editor(client, text)
    editor.edit(len(text), len(text), "𝒳 = (1 +")
    editor.edit(len(editor.text), len(editor.text), ")\n")
    await editor.check(editor.text.index(")"))
    editor.edit(editor.text.index("1"), editor.text.index("y"), "")  # joins two lines
    editor.edit(editor.text.index("y"), editor.text.index("y"), "1;")
    await editor.check(editor.text.index(")"))
    editor.edit(2, 3, "é")
    editor.edit(0, 0, '"😀😀";')
    editor.edit(2, 3, "")
    await editor.check(editor.text.index(")"))
    editor.edit(editor.text.index(")"), editor.text.index(")"), " 1")
    for character in "\n\nwhile z < 3:\n    z = y + ":
        editor.edit(len(editor.text), len(editor.text), character)
    await editor.check(len(editor.text))


async def test_typing_and_asking_at_each_keystroke(client):
    editor = Editor(client, "import os\n\n")
    for character in "names = sorted(os.listdir(":
        editor.edit(len(editor.text), len(editor.text), character)
        for item in await editor.ask(len(editor.text)):
            whole = editor.text + item.insert_text  # brackets of the line may stay open
            ast.parse(whole + "".join(one.text for one in language("python").session().pending(whole, len(whole))))


async def test_a_whole_text_may_replace_the_old_one(client):
    editor = Editor(client, "old = )")
    identifier = types.VersionedTextDocumentIdentifier(version=2, uri=editor.uri)
    editor.text = "width = 1\nnew = \n"
    change = types.TextDocumentContentChangeWholeDocument(text=editor.text)
    client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
    await editor.check(16)


async def test_a_place_past_the_end_is_the_end(client):
    editor = Editor(client, "x = \ny = 1\n")
    context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Invoked)
    identifier = types.TextDocumentIdentifier(editor.uri)
    result = await client.text_document_inline_completion_async(
        types.InlineCompletionParams(text_document=identifier, position=types.Position(0, 99), context=context)
    )
    # Asked for, there is a choice, as far as the time for it goes.
    assert len({item.insert_text for item in result.items}) == len(result.items) > 0
    for item in result.items:
        assert item.range == types.Range(types.Position(0, 4), types.Position(0, 4))
        ast.parse(f"x = {item.insert_text}\ny = 1\n")


async def test_nothing_is_an_empty_list(client):
    assert await Editor(client, "x = ", "klingon", "a.klingon").ask(4) == []
    assert await Editor(client, "").ask(0) == []
    assert await Editor(client, " \n").ask(1) == []
    editor = Editor(client, "x = ")
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(editor.uri)))
    assert await editor.ask(4) == []


async def test_a_broken_file_does_not_end_the_server(client):
    for text in ("x = )\ny = ", "def f(:\n  \n", "'''", "\x00", "\ud800"):
        for item in await Editor(client, text).ask(len(text) if text != "\ud800" else 0):
            assert isinstance(item.insert_text, str)
    await Editor(client, "x = ").check(4)


async def test_the_selected_completion_is_kept(client):
    editor = Editor(client, "import os\nos.pa\n")
    start, end = editor.text.index("pa"), editor.text.index("pa") + 2
    selected = types.SelectedCompletionInfo(types.Range(editor.position(start), editor.position(end)), "path")
    result = await client.text_document_inline_completion_async(
        types.InlineCompletionParams(
            text_document=types.TextDocumentIdentifier(editor.uri),
            position=editor.position(end),
            context=types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic, selected),
        )
    )
    for item in result.items:
        assert item.range == selected.range
        assert item.insert_text.startswith("path") and len(item.insert_text) > 4
        ast.parse(editor.text[:start] + item.insert_text + editor.text[end:])


@pytest_lsp.fixture(scope="module", config=ClientServerConfig(server_command=SERVER))
async def replacing(lsp_client: LanguageClient):
    """A client that accepts ranges ending behind the cursor."""
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=types.ClientCapabilities(), initialization_options={"replaceClosers": True})
    )
    lsp_client.encoding = "utf-16"  # type: ignore[attr-defined]
    yield
    await lsp_client.shutdown_session()


async def test_a_header_takes_the_place_of_the_bracket_that_the_editor_has_closed(replacing):
    left = "def square(x):\n    return x * x\n\n\ndef cube("
    editor = Editor(replacing, left + ")\n\nprint(cube(2))\n")
    for typed in ("", "x"):
        editor.edit(len(left), len(left), typed)
        left += typed
        (item,) = await editor.ask(len(left))
        assert item.range == types.Range(editor.position(len(left)), editor.position(len(left) + 1))
        assert item.insert_text.startswith("):" if typed else "x):")
        block = "" if "\n" in item.insert_text else "\n    pass"  # a header may come alone
        ast.parse(left + item.insert_text + block + editor.text[len(left) + 1 :])
    editor.edit(len(left), len(left), ")")  # typed over the existing one
    editor.edit(len(left) + 1, len(left) + 2, "")
    (item,) = await editor.ask(len(left) + 1)
    assert item.range == types.Range(editor.position(len(left) + 1), editor.position(len(left) + 1))
    assert item.insert_text.startswith(":")


@pytest_lsp.fixture(scope="module", config=ClientServerConfig(server_command=SERVER))
async def going_on_inside(lsp_client: LanguageClient):
    """A client that accepts texts with a place for the cursor."""
    options = {"snippets": True, "certainty": 0.12}
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=types.ClientCapabilities(), initialization_options=options)
    )
    lsp_client.encoding = "utf-16"  # type: ignore[attr-defined]
    yield
    await lsp_client.shutdown_session()


async def test_the_cursor_stays_inside_of_a_call_that_goes_on(going_on_inside):
    left = (
        "import unittest\n\n\nclass TestArea(unittest.TestCase):\n    def test_square(self):\n        shape = Square(3)\n"
        "        self.assertEqual(shape.area(), 9)\n\n    def test_circle(self):\n        shape = Circle(2)\n        self"
    )
    editor = Editor(going_on_inside, left + "\n")
    (item,) = await editor.ask(len(left))
    assert item.insert_text.kind == "snippet"
    begun, closers = item.insert_text.value.split("$0")
    assert begun.startswith(".assertEqual(") and closers == ")" and item.filter_text == begun + closers
    ast.parse(left + item.filter_text + "\n")
    editor.edit(len(left), len(left), item.filter_text)
    for following in await editor.ask(len(left + begun)):  # with the text behind the cursor
        text = following.filter_text or following.insert_text
        ast.parse(left + begun + text + closers + "\n")
