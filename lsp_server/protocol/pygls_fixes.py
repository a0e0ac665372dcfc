"""Workarounds for pygls' faults, so that the rest need not know of them."""

# The types of pygls are partly unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportPrivateUsage=false, reportIncompatibleVariableOverride=false

import asyncio
import logging
import re
import threading
import traceback
from collections.abc import Callable, Generator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method

from ...common.bounded import BoundedDict
from ...common.json_types import is_object
from ...common.terminal import visible
from .tolerance import structure

logger = logging.getLogger("suture.protocol")

InvalidParams = JsonRpcInvalidParams
"""The exception for unreadable parameters, raised by handlers."""
LEAST: dict[Any, Any] = {
    types.InlineCompletionContext: {"triggerKind": types.InlineCompletionTriggerKind.Automatic.value},
    types.InlineCompletionTriggerKind: types.InlineCompletionTriggerKind.Automatic.value,
    int | None: None,
    str | None: None,
}
"""The substitute for an unreadable required value, by its type."""
_EXACT = frozenset((types.TEXT_DOCUMENT_DID_CHANGE, types.NOTEBOOK_DOCUMENT_DID_CHANGE))
"""Messages whose lists must be read whole: without an element, the texts of both sides would differ from then on."""
_MAX_EXTRAS = 1000  # requests whose handlers have not begun


def _refusal(code: int, message: str) -> types.ResponseError:
    return types.ResponseError(code=code, message=message)


class Protocol(LanguageServerProtocol):
    """The LSP protocol without pygls' own documents, and with an answer to every request."""

    # pygls' document sync splits lines at form feeds and the like, shifts positions past the end of a line, changes the params it was given
    # and keeps a future for each notification. pygls registers no object that is not callable, so only the server's own handlers get these
    # messages.
    lsp_text_document__did_open = None  # type: ignore[assignment]
    lsp_text_document__did_change = None  # type: ignore[assignment]
    lsp_text_document__did_close = None  # type: ignore[assignment]
    lsp_notebook_document__did_open = None  # type: ignore[assignment]
    lsp_notebook_document__did_change = None  # type: ignore[assignment]
    lsp_notebook_document__did_close = None  # type: ignore[assignment]

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._initialized = False
        self._initialize_id: int | str | None = None
        self._extras: BoundedDict[int | str, dict[str, Any]] = BoundedDict(_MAX_EXTRAS)
        # Commands answered but not advertised: each gets the list of arguments.
        self.hidden_commands: dict[str, Callable[[list[Any]], Any]] = {}

    @property
    def shutdown_requested(self) -> bool:
        """Whether the client has sent `shutdown`."""
        return self._shutdown

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> None:  # type: ignore[override]
        """End the loop of messages. pygls raises SystemExit here, and then swallows the exit code."""
        if self._server._stop_event is not None:
            self._server._stop_event.set()

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Generator[Any, Any, Any]:
        """Run a command."""
        hidden = self.hidden_commands.get(params.command)
        if hidden is None:
            return (yield from super().lsp_workspace__execute_command(params))
        return (yield hidden, (list(params.arguments or ()),), None)

    def take_extras(self) -> dict[str, Any]:
        """The fields beyond the protocol in the current request's parameters: `token`, and `version` of the document."""
        return self._extras.pop(self.msg_id, {}) if self.msg_id is not None else {}

    def handle_message(self, message: Any) -> None:
        """Pass a message on, unless the state of the session forbids it; pygls would leave such requests unanswered."""
        method, request_id = getattr(message, "method", None), getattr(message, "id", None)
        if method == types.INITIALIZE and request_id is None:
            return  # nobody waits for its answer, and a later request of it must still get one
        if method == types.INITIALIZE and not self._initialized:
            self._initialized, self._initialize_id = True, request_id
        elif not self._initialized and method not in (None, types.EXIT):
            if request_id is not None:
                code = types.ErrorCodes.ServerNotInitialized
                self._send_response(request_id, error=_refusal(code, "the first request must be initialize"))
            return
        elif request_id is not None and method is not None and (self._shutdown or method == types.INITIALIZE):
            why = "the server is shutting down" if self._shutdown else "the server is initialized already"
            self._send_response(request_id, error=_refusal(types.ErrorCodes.InvalidRequest, why))
            return
        super().handle_message(message)

    async def settle(self, timeout_s: float) -> None:
        """Wait for the answers to cancelled requests."""
        waiting = [future for future in self._request_futures.values() if asyncio.isfuture(future)]
        if waiting:
            await asyncio.wait(waiting, timeout=timeout_s)

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        """Cancel a request; the common case that it is answered already deserves no line in the log."""
        if msg_id in self._request_futures:
            super()._handle_cancel_notification(msg_id)

    def _handle_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        """Take an answer, unless its request was given up: there pygls would fail."""
        future = self._request_futures.get(msg_id)
        if future is not None and future.done():
            del self._request_futures[msg_id]
            return
        super()._handle_response(msg_id, result, error)

    def _send_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        """Answer, also to a null identifier; after a failed `initialize` the client may try again."""
        self._extras.pop(msg_id, None)
        if self._initialize_id is not None and msg_id == self._initialize_id:
            self._initialized, self._initialize_id = error is None, None  # the identifier may be used again
        super()._send_response(msg_id, result, error)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Structure a message as its type; a malformed request is answered with an error."""
        if data.get("method") == types.TEXT_DOCUMENT_INLINE_COMPLETION and isinstance(data.get("id"), int | str):
            self._extras[data["id"]] = _extras(data.get("params"))
        try:
            message = self._structured(data)
            if "method" in data and isinstance(data.get("id"), str | int) and not hasattr(message, "id"):
                self._send_response(data["id"])  # a notification sent with an identifier gets an answer
            return message
        except JsonRpcException as error:
            if isinstance(data.get("method"), str) and isinstance(data.get("id"), str | int):
                code = types.ErrorCodes.InvalidParams
                self._send_response(data["id"], error=_refusal(code, f"invalid parameters for {data['method']}"))
            raise error from None

    def _structured(self, data: dict[str, Any]) -> Any:
        if "method" in data:
            type_ = self.get_message_type(data["method"])
        else:
            type_ = None if "error" in data else self._result_types.get(data.get("id"))  # type: ignore[arg-type]
        if type_ is None:
            return super().structure_message(data)
        try:
            message = structure(self._converter, data, type_, LEAST, data.get("method") in _EXACT)
        except Exception:
            raise JsonRpcInvalidParams from None
        if "method" not in data:
            del self._result_types[data["id"]]
        return message


def _extras(params: Any) -> dict[str, Any]:
    if not is_object(params):
        return {}
    document = params.get("textDocument")
    extras = {"token": params.get("partialResultToken")}
    if is_object(document) and isinstance(document.get("version"), int):
        extras["version"] = document["version"]
    return extras


def _ignore(on: bool) -> None:
    """Do nothing."""


class QuietLanguageServer(LanguageServer):
    """A pygls server without transports; its own troubles go to the log instead of the user's screen."""

    protocol: Protocol
    end_of_input: Callable[[], None] = staticmethod(lambda: None)
    """Ends the conversation, as if the client had gone."""
    on_loading: Callable[[bool], None] = staticmethod(_ignore)
    """Hears of the start and the end of a model's load, which may hold the interpreter's lock for long."""

    def __init__(self, name: str, version: str, notebooks: types.NotebookDocumentSyncOptions | None = None) -> None:
        """notebooks: those to be synchronized by clients with notebooks."""
        super().__init__(
            name,
            version,
            protocol_cls=Protocol,
            converter_factory=default_converter,
            notebook_document_sync=notebooks,
            max_workers=1,
        )

    def advertise(self, method: str, options: Any) -> None:
        """Offer a capability in the answer to `initialize`, where pygls omits one without options."""
        self.protocol.fm.feature_options[method] = options

    def begin(self) -> threading.Event:
        """Prepare for one conversation; the event returned is set at its end."""
        self._stop_event = threading.Event()
        return self._stop_event

    async def keep(self) -> None:
        """Do the periodic work until cancelled at the end."""
        await asyncio.Event().wait()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log the kind of an error; pygls would pop up a window with its text."""
        logger.warning("a message could not be handled: %s", type(error).__name__)

    def shutdown(self) -> None:
        """End the conversation without waiting for anything."""
        if self._stop_event is not None:
            self._stop_event.set()


class CodeFreeFormatter(logging.Formatter):
    """Formats log records without any text of the user's.

    Other people's libraries log whole messages, and exceptions quote their input. So foreign messages appear as their templates alone, and
    exceptions as their type and the places in the code.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line, or lines with an exception's frames."""
        if record.name.startswith("suture"):
            message = record.getMessage()
        elif not record.args:  # formatted already: only its beginning is safe
            message = re.split(r"[(<{\[\'\":\n]", str(record.msg), maxsplit=1)[0].strip()
        else:
            message = re.sub(r"%[-#0-9.]*[a-zA-Z]", "...", str(record.msg)).strip()
        lines = [f"{record.levelname} {record.name}: {message}"]
        if record.exc_info and record.exc_info[0] is not None:
            lines += [f"  {frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(record.exc_info[2])]
            lines.append(f"  {record.exc_info[0].__name__}")
        return visible("\n".join(lines))


def log_to(stream: Any) -> None:
    """Send warnings and errors to a stream, and nothing less: pygls' information holds whole messages."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(CodeFreeFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
