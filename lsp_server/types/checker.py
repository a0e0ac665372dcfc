"""The type checker of one folder: a thread that asks its child, the newest question first, and starts it again where it ended."""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from ...common.bounded import BoundedDict
from ...parser.type_server import TypeServer
from ..session.uris import file_path
from .child import ChildFailed, LanguageServerChild
from .questions import SENTINEL, Answer, Gate, Question, errors_of, gate, module_of, names_of

MOST_DOCUMENTS = 16
"""The most documents that the child holds open."""
_OF_MODULES = ("hover", "typeDefinition")
_RELEASE = re.compile(r"\d+")


@dataclass(frozen=True)
class Bounds:
    """The bounds of the thread's waiting for its child, and of the child's failures."""

    first_s: float = (
        120.0  # for the first answer of a child, which reads the document's imports, or the whole workspace
    )
    answer_s: float = 20.0  # a large workspace is read again where a type changes; nobody waits
    idle_s: float = 600.0  # without a question, after which the child is ended
    failures: int = 3  # within `failures_s`, after which nothing is asked any more
    failures_s: float = 300.0


class Checker:
    """The checker of one folder; `ask` hands a question over and returns."""

    def __init__(self, server: TypeServer, command: Sequence[str], root: str, bounds: Bounds | None = None) -> None:
        self.server, self.command, self.root = server, tuple(command), root
        self.problem = ""
        """why nothing is asked any more; "" where questions may be asked"""
        self.times_s: list[float] = []
        """the times of the last answers"""
        self._bounds = bounds or Bounds()
        self._failed_s: list[float] = []
        self._slot: queue.SimpleQueue[Question | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        """held where the thread is started, or ends"""
        self._child: LanguageServerChild | None = None
        self._open: BoundedDict[str, str] = BoundedDict(MOST_DOCUMENTS, lambda text: None)
        self._version = 0
        self._is_new = False
        """whether the child has answered nothing yet"""
        self._thread: threading.Thread | None = None
        self._last: BoundedDict[str, Question] = BoundedDict(MOST_DOCUMENTS)

    @property
    def child(self) -> LanguageServerChild | None:
        """The child, while it runs."""
        return self._child

    def ask(self, question: Question) -> Question:
        """Ask a question, or return the earlier one in the same words, which may have its answer already."""
        last = self._last.used(question.uri)
        if last is not None and last.is_like(question) and not (last.done.is_set() and last.answer is None):
            return last
        self._last[question.uri] = question
        if self.problem:
            question.settle(None)
            return question
        with self._lock:
            self._slot.put(question)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="suture-types", daemon=True)
                self._thread.start()
        return question

    def stop(self) -> None:
        """End the child, once it has answered what it is asked."""
        with self._lock:
            if self._thread is not None:
                self._slot.put(None)

    def _run(self) -> None:
        while True:
            try:
                question = self._slot.get(timeout=self._bounds.idle_s)
            except queue.Empty:
                question = None
            while question is not None and not self._slot.empty():
                question.settle(None)  # another place is asked about
                question = self._slot.get()
            if question is not None:
                self._settle(question)
                continue
            self._end()
            with self._lock:
                if self._slot.empty():
                    self._thread = None
                    return

    def _settle(self, question: Question) -> None:
        answer: Answer | None = None
        try:
            began_s = monotonic()
            answer = self._answer(question)
            self._is_new = False
            self.times_s = [*self.times_s[-999:], monotonic() - began_s]
        except (ChildFailed, OSError) as error:
            self._fail(str(error))
        except Exception as error:  # of what a child said that no one thought of
            self._fail(f"{type(error).__name__}: {error}")
        finally:
            question.settle(answer)

    def _fail(self, reason: str) -> None:
        if self._child is not None:
            self._child.kill()
        self._child = None
        now_s = monotonic()
        since_s = now_s - self._bounds.failures_s
        self._failed_s = [*(failed_s for failed_s in self._failed_s if failed_s > since_s), now_s]
        if len(self._failed_s) >= self._bounds.failures:
            self.problem = self.problem or f"{self.server.program} is not asked any more: {reason}"

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def _started(self) -> LanguageServerChild:
        if self._child is None:
            self._open.clear()
            child = LanguageServerChild(self.command, self.root, self.server.options, self.server.environment)
            if tuple(map(int, _RELEASE.findall(child.version)[:3])) < self.server.oldest:
                child.end()
                oldest = ".".join(map(str, self.server.oldest))
                self.problem = f"{child.name} {child.version} is too old: {oldest} or newer is asked"
                raise ChildFailed(self.problem)
            self._child, self._is_new = child, True
        return self._child

    def _answer(self, question: Question) -> Answer:
        child = self._started()
        by = f"{child.name} {child.version}"
        for uri, text in question.others.items():
            self._show(uri, text)
        if question.errors_alone:
            self._show(question.uri, question.left + question.right)
            report = self._request("textDocument/diagnostic", question.uri)
            return Answer(by, errors=errors_of(report, self.server))
        report, place = self._gate(question, question.left)
        answer, left = Answer(by, errors=errors_of(report, self.server)), question.left
        if place is not None and place.may_be_none:
            certain = self.server.certain(question.left)
            place, left = (None, left) if certain is None else (self._gate(question, certain)[1], certain)
        elif not question.argument and (place is None or place.is_module):
            place = self._gate_of_module(question, left, place)
        if place is None or not place.is_closed:
            return answer
        no_member = "" if question.argument else self.server.no_member
        text = left + (SENTINEL if no_member is None else no_member) + question.right
        self._show(question.uri, text)
        listed = self._request("textDocument/completion", question.uri, child.position(text, len(left)))
        names = names_of(listed, self.server.name, argument=question.argument)
        child.check_memory()
        more = None if names is None else self.server.more(place.owner, names, text)
        if names is None or more is None:
            return answer
        return replace(answer, owner=f"`{place.owner}`", names=names | place.strange | more)

    def _gate(self, question: Question, left: str) -> tuple[object, Gate | None]:
        """The gate that the checker's diagnostics of the text with the sentinel make."""
        text = left + SENTINEL + (self.server.value if question.argument else "") + question.right
        self._show(question.uri, text)
        assert self._child is not None
        report = self._request("textDocument/diagnostic", question.uri)
        return report, gate(report, self.server, self._child.position(text, len(left)))

    def _gate_of_module(self, question: Question, left: str, place: Gate | None) -> Gate | None:
        """The gate behind a module: it has its submodules, too, and where it has a function for other names, those that this knows."""
        assert self._child is not None
        operand = left.rstrip().removesuffix(".").rstrip()
        if not operand or self.server.module is None:
            return place
        position = self._child.position(left, len(operand) - 1)
        hovered, located = (self._request(f"textDocument/{ask}", question.uri, position) for ask in _OF_MODULES)
        module = module_of(hovered, located)
        path = None if module is None else file_path(module[1])
        if module is None or path is None:
            return None
        try:
            names = self.server.module(path, place is None)
        except OSError:
            return None
        if names is None:
            return None
        return Gate(module[0], True, False, names | (frozenset() if place is None else place.strange))

    def _request(self, method: str, uri: str, position: Mapping[str, int] | None = None) -> object:
        assert self._child is not None
        params: dict[str, object] = {"textDocument": {"uri": uri}}
        if position is not None:
            params["position"] = position
        return self._child.request(method, params, self._bounds.first_s if self._is_new else self._bounds.answer_s)

    def _show(self, uri: str, text: str) -> None:
        """Let the child have a document's text."""
        assert self._child is not None
        if self._open.used(uri) == text:
            return
        self._version += 1
        document = {"uri": uri, "version": self._version}
        if uri in self._open:
            self._child.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        else:
            if len(self._open) >= MOST_DOCUMENTS:
                oldest = next(iter(self._open))
                self._open.pop(oldest)
                self._child.notify("textDocument/didClose", {"textDocument": {"uri": oldest}})
            document |= {"languageId": self.server.language_id, "text": text}
            self._child.notify("textDocument/didOpen", {"textDocument": document})
        self._open[uri] = text
