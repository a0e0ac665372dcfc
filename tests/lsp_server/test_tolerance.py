"""Values unknown to the protocol's model, at every place of a message: they count as not sent, and nothing else is lost."""

import asyncio
import copy
import enum
import random
import time
import typing
from collections.abc import Iterator, Mapping, Sequence

import attrs
import pytest
from lsprotocol import types
from pygls.protocol import default_converter
from suture.lsp_server.protocol.conversation import Conversation
from suture.lsp_server.protocol.framing import MessageDecoder
from suture.lsp_server.protocol.jsonrpc import parse
from suture.lsp_server.protocol.pygls_fixes import LEAST
from suture.lsp_server.protocol.tolerance import structure
from suture.lsp_server.runtime.backend import Backend
from suture.lsp_server.server import create_server

CONVERTER = default_converter()
WRONG = (
    None,
    True,
    -1,
    99,
    1.5,
    "compact",
    [],
    {},
    [None],
    ["unknown", -1, 1],
    [[]],
    {"valueSet": [1, "x"]},
    {"uri": 5},
)

Path = tuple[str | int, ...]


def sample(type_: object, key: str = "") -> object:
    """A value of a type as sent by a client, with all its optional parts."""
    origin, arguments = typing.get_origin(type_), typing.get_args(type_)
    if isinstance(type_, type) and attrs.has(type_):
        fields = {camel(field.name): field for field in attrs.fields(type_)}
        return {name: sample(field.type, name) for name, field in fields.items()}
    if isinstance(type_, type) and issubclass(type_, enum.Enum):
        return next(iter(type_)).value
    if type_ in (int, float):
        return 1
    if type_ is bool:
        return True
    if type_ is str:
        return "file:///nowhere" if "uri" in key.lower() else "text"
    if origin in (Sequence, list):
        return [sample(arguments[0])]
    if origin is Mapping:
        return {"key": sample(arguments[1])}
    if (origin is not None and type(None) in arguments) or origin is typing.Union:
        return sample(next(one for one in arguments if one is not type(None)), key)
    return {"anything": 1}


def camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.title() for other in others)


def optional_parts(path: Path, type_: object) -> Iterator[Path]:
    """The optional prefixes of a path, by the model: attributes with a default, and elements of lists."""
    for length, key in enumerate(path, 1):
        while typing.get_origin(type_) is typing.Union:
            type_ = next(one for one in typing.get_args(type_) if one is not type(None))
        if isinstance(type_, type) and attrs.has(type_):
            field = next(field for field in attrs.fields(type_) if camel(field.name) == key)
            type_ = field.type
            if field.default is not attrs.NOTHING:
                yield path[:length]
        elif isinstance(key, int):
            type_ = typing.get_args(type_)[0]
            yield path[:length]
        else:
            return  # a value of any kind


def request_of(method: str) -> dict:
    """A request with all its optional parts."""
    type_ = types.METHOD_TO_TYPES[method][0]
    assert type_ is not None
    message = typing.cast(dict, sample(type_))
    return {**message, "jsonrpc": "2.0", "id": 1, "method": method}


def places(value: object, above: Path = ()) -> Iterator[Path]:
    """The paths of all values in a value, with an element of each list."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*above, key)
        yield from places(part, (*above, key))


def placed(message: dict, path: Path, value: object) -> dict:
    """The message with another value at a place."""
    changed = copy.deepcopy(message)
    part: typing.Any = changed
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return changed


def value_at(message: object, path: Path) -> object:
    for key in path:
        try:
            message = message[key]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return None
    return message


INITIALIZE = request_of(types.INITIALIZE)
PLACES = [path for path in places(INITIALIZE) if path[0] == "params" and path[1:] not in ((), ("capabilities",))]


def test_a_wrong_value_anywhere_in_initialize_costs_itself_alone():
    """Everything outside of the nearest optional part is kept."""
    whole = CONVERTER.unstructure(structure(CONVERTER, INITIALIZE, types.InitializeRequest, LEAST))
    leaves = [path for path in PLACES if not isinstance(value_at(whole, path), dict | list)]
    assert len(PLACES) > 250
    for path in PLACES:
        (*_, absent) = [("params", "capabilities"), *optional_parts(path, types.InitializeRequest)]
        for wrong in WRONG:
            read = structure(CONVERTER, placed(INITIALIZE, path, wrong), types.InitializeRequest, LEAST)
            kept = CONVERTER.unstructure(read)
            lost = [leaf for leaf in leaves if value_at(kept, leaf) != value_at(whole, leaf)]
            assert all(leaf[: len(absent)] == absent for leaf in lost), (path, wrong, lost)


class Heard:
    """The messages of a server."""

    def __init__(self) -> None:
        self._decoder = MessageDecoder()
        self.messages: list[dict] = []

    def write(self, data: bytes) -> None:
        self.messages += [typing.cast(dict, parse(typing.cast(bytes, body))) for body in self._decoder.feed(data)]

    def close(self) -> None:
        pass


async def said_to(backend: Backend, *messages: dict) -> list[dict]:
    """The answers of a server to a conversation."""
    heard = Heard()
    conversation = Conversation(create_server(backend), heard)
    for message in messages:
        await conversation.take(message)
    answered: set[object] = set()
    for _ in range(10):
        for asked in [one for one in heard.messages if "method" in one and one.get("id") not in (None, *answered)]:
            answered.add(asked["id"])
            await conversation.take({"jsonrpc": "2.0", "id": asked["id"], "result": None})
        await asyncio.sleep(0)
    await conversation.end()
    return heard.messages


async def test_the_server_answers_initialize_with_a_wrong_value_anywhere(caplog):
    backend, rng = Backend(), random.Random(48)
    initialized = {"jsonrpc": "2.0", "method": "initialized", "params": {}}
    options = {"enable": False}  # no model is loaded
    for path in rng.sample(PLACES, 60):
        request = placed(
            {**INITIALIZE, "params": {**INITIALIZE["params"], "initializationOptions": options}},
            path,
            rng.choice(WRONG),
        )
        answers = await said_to(backend, request, initialized)
        assert "result" in next(one for one in answers if one.get("id") == 1), request
        assert not [record for record in caplog.records if record.name.startswith("suture")], request
    backend.stop()


@pytest.mark.parametrize(
    "params",
    [
        {"trace": "compact"},
        {"capabilities": {"textDocument": {"publishDiagnostics": {"tagSupport": {"valueSet": [1, 2, -1]}}}}},
        {"capabilities": {"textDocument": {"publishDiagnostics": {"tagSupport": True}}}},
        {"capabilities": {"workspace": {"workspaceEdit": {"failureHandling": "rollback"}}}},
        {"capabilities": {"workspace": {"symbol": {"symbolKind": {"valueSet": [1, 27]}}}}},
        {"capabilities": []},
        {"processId": "none"},
        {"processId": 1 << 40},
    ],
)
async def test_clients_that_are_newer_than_the_model_or_free_with_it_are_served(params):
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}, **params}}
    (answer,) = await said_to(Backend(), request)
    assert "result" in answer


INLINE = {
    "textDocument": {"uri": "file:///a.py"},
    "position": {"line": 0, "character": 0},
    "context": {"triggerKind": 1},
}


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"context": {"triggerKind": 7}}, 2),
        ({"context": None}, 2),
        ({"workDoneToken": []}, 1),
        ({"context": {"triggerKind": 1, "selectedCompletionInfo": 5}}, 1),
    ],
)
def test_a_request_that_says_something_unknown_is_read_without_it(more, kind):
    message = {"jsonrpc": "2.0", "id": 1, "method": types.TEXT_DOCUMENT_INLINE_COMPLETION, "params": {**INLINE, **more}}
    read = structure(CONVERTER, message, types.InlineCompletionRequest, LEAST).params
    assert read.context.trigger_kind == kind and read.context.selected_completion_info is None


@pytest.mark.parametrize("missing", ["textDocument", "position"])
def test_a_request_without_what_it_needs_is_refused(missing):
    params = {key: value for key, value in INLINE.items() if key != missing}
    message = {"jsonrpc": "2.0", "id": 1, "method": types.TEXT_DOCUMENT_INLINE_COMPLETION, "params": params}
    with pytest.raises(Exception, match="InlineCompletionRequest"):
        structure(CONVERTER, message, types.InlineCompletionRequest, LEAST)


@pytest.mark.parametrize("change", [{"text": None}, {}, {"text": "x", "range": {"start": 1}}, 5])
def test_of_the_changes_of_a_text_none_is_left_out(change):
    """The rest of them would not fit the text."""
    changes = [{"text": "a"}, change, {"text": "b"}]
    params = {"textDocument": {"uri": "file:///a.py", "version": 2}, "contentChanges": changes}
    message = {"jsonrpc": "2.0", "method": types.TEXT_DOCUMENT_DID_CHANGE, "params": params}
    try:
        read = structure(CONVERTER, message, types.DidChangeTextDocumentNotification, LEAST, exact=True)
    except Exception:
        return  # refused, as a whole
    assert len(read.params.content_changes) == 3


def test_a_message_that_is_wrong_all_over_is_refused_at_once():
    message = {**INITIALIZE, "params": {"capabilities": {}, "workspaceFolders": [5] * 20_000}}
    began_s = time.thread_time()
    with pytest.raises(Exception, match="InitializeRequest"):
        structure(CONVERTER, message, types.InitializeRequest, LEAST)
    assert time.thread_time() - began_s < 5
