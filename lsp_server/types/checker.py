"""The type checker of one folder: a thread asks the child process, the newest question first, and restarts it where it ended."""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from ...common.bounded import BoundedDict
from ...common.line_ends import line_start
from ...parser.type_server import TypeServer
from ..session.uris import file_path
from .child import ChildFailed, LanguageServerChild
from .questions import SENTINEL, Answer, Gate, Question, errors_of, gate, module_of, names_of, wrong_names

MOST_DOCUMENTS = 16
"""The most documents open in the child."""
_OF_MODULES = ("hover", "typeDefinition")
_NEAR, _MOST_CANDIDATES = 20_000, 300
"""The characters on either side with words to ask about beforehand, and the most words."""
_MOST_WANTED = 100
_MOST_ALONE = 8
"""The most names asked about one by one."""
_RELEASE = re.compile(r"\d+")


@dataclass(frozen=True)
class Bounds:
    """The timeouts of the child, and the bounds of its failures."""

    first_s: float = 120.0  # for a child's first answer: it reads the document's imports, or the whole workspace
    answer_s: float = 20.0  # a large workspace is read again after a changed type; nobody waits
    idle_s: float = 600.0  # without a question, then the child is ended
    failures: int = 3  # within `failures_s`, then nothing is asked any more
    failures_s: float = 300.0


class Checker:
    """The checker of one folder; `ask` never blocks."""

    def __init__(self, server: TypeServer, command: Sequence[str], root: str, bounds: Bounds | None = None) -> None:
        self.server, self.command, self.root = server, tuple(command), root
        self.problem = ""
        """why no questions are asked any more; "" where they are"""
        self.times_s: list[float] = []
        """the times of the last answers"""
        self._bounds = bounds or Bounds()
        self._failed_s: list[float] = []
        self._slot: queue.SimpleQueue[Question | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        """held at the thread's start and end"""
        self._child: LanguageServerChild | None = None
        self._open: BoundedDict[str, str] = BoundedDict(MOST_DOCUMENTS, lambda text: None)
        self._version = 0
        self._is_new = False
        """whether the child has no answer yet"""
        self._thread: threading.Thread | None = None
        self._last: BoundedDict[str, Question] = BoundedDict(MOST_DOCUMENTS)
        self._wanted: dict[str, None] = {}
        """the last wanted names"""

    @property
    def child(self) -> LanguageServerChild | None:
        """The child, while it runs."""
        return self._child

    def ask(self, question: Question) -> Question:
        """Ask a question, or return an equal earlier one, perhaps with its answer already."""
        last = self._last.used(question.uri)
        if last is not None and last.is_like(question) and not (last.done.is_set() and last.answer is None):
            return last
        question.asked_by(self._put)
        self._last[question.uri] = question
        self._put(question)
        return question

    def _put(self, question: Question) -> None:
        """Queue a question for its answer, or an answered one for its wanted names."""
        if self.problem:
            question.let_go()
            return
        with self._lock:
            self._slot.put(question)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="suture-types", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End the child after the pending questions."""
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
                later = self._slot.get()
                if later is not question:
                    question.let_go()  # the next question is about another place
                question = later
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
        if question.done.is_set() and question.answer is None:
            question.let_go()
            return
        try:
            began_s = monotonic()
            if question.answer is not None:
                self._tell_wanted(question, question.answer)
                return
            answer = self._answer(question)
            self._is_new = False
            self.times_s = [*self.times_s[-999:], monotonic() - began_s]
        except (ChildFailed, OSError) as error:
            self._fail(str(error))
        except Exception as error:  # of an unforeseen answer
            self._fail(f"{type(error).__name__}: {error}")
        finally:
            if not question.done.is_set():
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
        if place is None or place.owner == self.server.nothing:
            return answer
        first, strange = place, place.strange
        if place.is_module and not question.argument:
            submodules = self._submodules(question)
            if submodules is None:
                return answer
            strange |= submodules
        elif place.may_be_none and (certain := self.server.certain(left)) is not None:
            left = certain
            place = self._gate(question, left)[1] or place
        if self.server.lists_all and not place.is_listed:
            return answer
        listed = self._listed(question, left)
        child.check_memory()
        if listed is None:
            return answer
        first = replace(first, strange=strange)
        whole = question.left + question.right
        answer = replace(
            answer, owner=f"`{place.owner}`", names=listed | strange, gate=first, assigned=self.server.assigned(whole)
        )
        if not self.server.lists_all:
            self._tell(question, first, self._candidates(question, listed))
        return answer

    def _listed(self, question: Question, left: str) -> frozenset[str] | None:
        """The names listed by the checker behind a text."""
        assert self._child is not None
        no_member = "" if question.argument else self.server.no_member
        text = left + (SENTINEL if no_member is None else no_member) + question.right
        self._show(question.uri, text)
        listed = self._request("textDocument/completion", question.uri, self._child.position(text, len(left)))
        return names_of(listed, self.server.name, argument=question.argument)

    def _candidates(self, question: Question, listed: frozenset[str]) -> Sequence[str]:
        """The names that may be wanted soon: those wanted before, and the words of the file, the nearest first."""
        behind = self.server.name.findall(question.right[:_NEAR])
        words = dict.fromkeys((*self._wanted, *self.server.name.findall(question.left[-_NEAR:])[::-1], *behind))
        return [word for word in words if word not in listed and word not in self.server.reserved][:_MOST_CANDIDATES]

    def _tell_wanted(self, question: Question, answer: Answer) -> None:
        """Tell an answered question the wrong ones among its wanted names."""
        names = question.take()
        self._wanted = dict.fromkeys([*names, *self._wanted][:_MOST_WANTED])
        try:
            if answer.gate is not None:
                self._started()
                self._tell(question, answer.gate, [*names])
        finally:
            question.tell(names, frozenset(), frozenset())

    def _tell(self, question: Question, gate_: Gate, names: Sequence[str]) -> None:
        """Tell a question the wrong ones among some names."""
        if not names:
            return
        asked, wrong = names, self._wrong(question, gate_, [SENTINEL, *names])
        if SENTINEL not in wrong:  # names side by side are no valid code there
            asked = names[:_MOST_ALONE]
            wrong = frozenset[str]().union(*(self._wrong(question, gate_, [name]) for name in asked))
        question.tell(frozenset(asked), wrong, frozenset(asked) - wrong)

    def _wrong(self, question: Question, gate_: Gate, names: Sequence[str]) -> frozenset[str]:
        """The names with the sentinel's diagnostics; none where names side by side are no valid code."""
        assert self._child is not None
        left, pieces, between = question.left, names, f"{self.server.value}, "
        before, after = left, self.server.value if question.argument else ""
        begin = line_start(left)
        start = None if question.argument or len(names) == 1 else self.server.operand(left[begin:])
        if start is not None:
            before, between, after = left[: begin + start] + "(", ", ", ")"
            pieces = [left[begin + start :] + name for name in names]
        elif len(names) > 1 and not question.argument:
            return frozenset()
        text = before + between.join(pieces) + after + question.right
        self._show(question.uri, text)
        report = self._request("textDocument/diagnostic", question.uri)
        start_of, places = self._child.position(text, len(before)), dict[str, Mapping[str, int]]()
        column = start_of["character"]
        for name, piece in zip(names, pieces, strict=True):
            places[name] = {**start_of, "character": column + self._child.units(piece)}
            column += self._child.units(piece + between)
        return wrong_names(report, self.server, gate_.said, places)

    def _gate(self, question: Question, left: str) -> tuple[object, Gate | None]:
        """The checker's diagnostics of the text with the sentinel, and the gate they make."""
        text = left + SENTINEL + (self.server.value if question.argument else "") + question.right
        self._show(question.uri, text)
        assert self._child is not None
        report = self._request("textDocument/diagnostic", question.uri)
        return report, gate(report, self.server, self._child.position(text, len(left)))

    def _submodules(self, question: Question) -> frozenset[str] | None:
        """The possible names of the module before the dot beyond the checker's list; None: any."""
        assert self._child is not None
        operand = question.left.rstrip().removesuffix(".").rstrip()
        if not operand or self.server.module is None:
            return frozenset()
        position = self._child.position(question.left, len(operand) - 1)
        self._show(question.uri, question.left + SENTINEL + question.right)
        hovered, located = (self._request(f"textDocument/{ask}", question.uri, position) for ask in _OF_MODULES)
        module = module_of(hovered, located)
        path = None if module is None else file_path(module[1])
        try:
            return None if path is None else self.server.module(path)
        except OSError:
            return None

    def _request(self, method: str, uri: str, position: Mapping[str, int] | None = None) -> object:
        assert self._child is not None
        params: dict[str, object] = {"textDocument": {"uri": uri}}
        if position is not None:
            params["position"] = position
        return self._child.request(method, params, self._bounds.first_s if self._is_new else self._bounds.answer_s)

    def _show(self, uri: str, text: str) -> None:
        """Send the child a document's text, unless it has it."""
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
