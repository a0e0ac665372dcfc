"""The type checker beside the model: its knowledge is respected, and nothing ever waits for it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from suture.common import interpreter
from suture.common.reach import Reach
from suture.lsp_server.cli import doctor_checks
from suture.lsp_server.types import child as children
from suture.lsp_server.types import monitor
from suture.lsp_server.types.checker import Bounds, Checker
from suture.lsp_server.types.monitor import NO_ANSWER, NOT_ASKED, Monitor, program_of, said
from suture.lsp_server.types.questions import SENTINEL, Question, alternatives, gate, names_of
from suture.parser import Session, imports_for, language
from suture.parser.languages.python.type_server import TY, certain

from ..support.work import PATIENCE_S

FAKE = Path(__file__).resolve().parent.parent / "support" / "fake_checker.py"
REAL = program_of(TY, os.devnull)
needs_ty = pytest.mark.skipif(REAL is None, reason="ty is not installed")
KNOWS = {"knows": {"box": ["open", "size"]}}


def asked(path: Path, left: str, right: str = "\n", **more: Any) -> Question:
    """A question behind a dot."""
    return Question(TY, path.as_uri(), left, right, left.rpartition("\n")[2], False, **more)


class Stage:
    """A folder with a fake checker."""

    def __init__(self, root: Path, bounds: Bounds) -> None:
        self.root, self.bounds = root, bounds
        self.checker = Checker(TY, (sys.executable, "-I", str(FAKE)), str(root), bounds)

    def says(self, **said: Any) -> None:
        """Have the fake answer so."""
        (self.root / "fake.json").write_text(json.dumps(KNOWS | {"version": "9.9.9"} | said))

    def ask(self, left: str = "x = box.", right: str = "\n") -> Question:
        """Ask, and wait for the answer, or for its absence."""
        question = self.checker.ask(asked(self.root / "a.py", left, right))
        assert question.done.wait(PATIENCE_S)
        return question

    @property
    def starts(self) -> int:
        """How many children there were."""
        return int((self.root / "starts").read_text())


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path, Bounds(first_s=PATIENCE_S, answer_s=PATIENCE_S))
    stage.says()
    yield stage
    stage.checker.stop()
    until(lambda: stage.checker.child is None)


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_list_is_closed_where_a_nonsense_name_is_an_error(stage: Stage) -> None:
    question = stage.ask()
    assert question.names() == {"open", "size"}
    assert question.owner == "`Box`"
    assert said(question) == "fake 9.9.9"
    open_ = stage.ask("x = other.")
    assert open_.names() is None
    assert said(open_) == "fake 9.9.9"


def test_columns_are_counted_as_the_server_counts(stage: Stage) -> None:
    assert stage.ask("x = '𝔘\N{ROMAN NUMERAL ONE}', box.").names() == {"open", "size"}


def test_the_same_place_is_asked_about_once(stage: Stage) -> None:
    assert stage.checker.ask(asked(stage.root / "a.py", "x = box.")) is stage.ask()
    assert stage.ask() is not stage.ask("y = box.")
    assert len(stage.checker.times_s) == 2


def test_of_questions_that_wait_the_newest_is_asked(stage: Stage) -> None:
    """The others are let go, and nobody waits for them."""
    questions = [stage.checker.ask(asked(stage.root / "a.py", f"x{number} = box.")) for number in range(50)]
    for question in questions:
        assert question.done.wait(PATIENCE_S)
    assert questions[-1].names() == {"open", "size"}
    assert len(stage.checker.times_s) < 50


def test_a_document_that_another_one_imports_is_shown_as_it_is_edited(stage: Stage) -> None:
    other = (stage.root / "b.py").as_uri()
    first = stage.checker.ask(asked(stage.root / "a.py", "x = box.", others={other: "y = 1\n"}))
    assert first.done.wait(PATIENCE_S)
    again = asked(stage.root / "a.py", "x = box.", others={other: "y = 2\n"})
    assert stage.checker.ask(again) is again


def test_documents_are_closed_that_were_not_asked_about_for_long(stage: Stage) -> None:
    for number in range(40):
        question = stage.checker.ask(asked(stage.root / f"{number}.py", "x = box."))
        assert question.done.wait(PATIENCE_S)
        assert question.names() == {"open", "size"}


@pytest.mark.parametrize("method", ["textDocument/diagnostic", "textDocument/completion"])
@pytest.mark.parametrize("what", ["die", "garbage", "nonsense", "asks"])
def test_a_child_that_fails_is_started_again(stage: Stage, method: str, what: str) -> None:
    stage.says(misbehave=[{method: what}, {method: what}])
    first = stage.ask()
    if what in ("die", "garbage"):
        assert said(first) == NO_ANSWER
        assert said(stage.ask()) == NO_ANSWER
        assert stage.ask().names() == {"open", "size"}
        assert stage.starts == 3
    else:
        assert first.names() == (None if what == "nonsense" else {"open", "size"})
        assert stage.starts == 1


def test_a_child_that_hangs_is_ended(tmp_path: Path) -> None:
    stage = Stage(tmp_path, Bounds(first_s=PATIENCE_S, answer_s=0.2))
    stage.says(misbehave=[{}, {}])
    assert stage.ask().names() == {"open", "size"}
    child = stage.checker.child
    assert child is not None
    stage.says()
    os.kill(child.pid, stat_stop())
    assert said(stage.ask("y = box.")) == NO_ANSWER
    until(lambda: child.ended)
    assert stage.ask("z = box.").names() == {"open", "size"}
    stage.checker.stop()


def stat_stop() -> int:
    """The signal to stop a process, which then answers nothing."""
    import signal

    if not hasattr(signal, "SIGSTOP"):
        pytest.skip("no process can be stopped here")
    return signal.SIGSTOP


def test_a_child_that_floods_is_ended(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "MOST_SAID", 1_000_000)
    stage.says(misbehave=[{"textDocument/diagnostic": "flood"}])
    assert said(stage.ask()) == NO_ANSWER
    assert stage.ask().names() == {"open", "size"}


def test_a_child_that_takes_too_much_memory_is_ended(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    if children.memory_of(os.getpid()) is None:
        pytest.skip("the system does not say how much a process takes")
    monkeypatch.setattr(children, "MOST_MEMORY", 1_000_000)
    assert said(stage.ask()) == NO_ANSWER
    assert stage.checker.child is None


def test_a_child_that_fails_again_and_again_is_asked_no_more(stage: Stage) -> None:
    stage.says(misbehave={"textDocument/diagnostic": "die"})
    for _ in range(6):
        assert said(stage.ask()) == NO_ANSWER
    assert stage.starts == Bounds().failures
    assert "not asked any more" in stage.checker.problem


@pytest.mark.parametrize("version", ["0.0.73", "", "strange"])
def test_a_version_that_does_not_know_its_bounds_is_not_asked(stage: Stage, version: str) -> None:
    stage.says(version=version)
    assert said(stage.ask()) == NO_ANSWER
    assert said(stage.ask("y = box.")) == NO_ANSWER
    assert stage.starts == 1
    assert "too old" in stage.checker.problem


def test_a_program_that_is_no_language_server_is_given_up(tmp_path: Path) -> None:
    for command in ([sys.executable, "-c", "print('hello')"], [str(tmp_path / "none")]):
        checker = Checker(TY, command, str(tmp_path))
        for number in range(4):
            question = checker.ask(asked(tmp_path / "a.py", f"x{number} = box."))
            assert question.done.wait(PATIENCE_S)
            assert said(question) == NO_ANSWER
        assert checker.problem


def test_asking_waits_for_nothing(tmp_path: Path) -> None:
    """Not even for a child that never answers: `ask` returns, and earlier questions are dropped."""
    stage = Stage(tmp_path, Bounds(first_s=PATIENCE_S, answer_s=PATIENCE_S))
    stage.says(misbehave={"textDocument/diagnostic": "hang"})
    questions = [stage.checker.ask(asked(tmp_path / "a.py", f"x{number} = box.")) for number in range(20)]
    assert all(question.names() is None for question in questions)
    until(lambda: stage.checker.child is not None)
    assert stage.checker.child is not None
    stage.checker.child.kill()
    for question in questions[:-1]:
        assert question.done.wait(PATIENCE_S)


def test_an_idle_child_is_ended_and_started_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path, Bounds(first_s=PATIENCE_S, answer_s=PATIENCE_S, idle_s=0.05))
    stage.says()
    assert stage.ask().names() is not None
    until(lambda: stage.checker.child is None)
    assert stage.ask("y = box.").names() is not None
    assert stage.starts == 2


# -- questions


def session_of(path: Path) -> Session:
    """A session judging names and attributes."""
    session = language("python").session(str(path), str(path.parent))
    session.level = "names"
    session.imports = imports_for("python", None, str(path), at_once=True, reach=Reach(str(path.parent), True))
    return session


def at_mark(marked: str) -> tuple[str, int]:
    """A text without its last `|`, and the offset of that."""
    left, _, right = marked.rpartition("|")
    return left + right, len(left)


class Desk:
    """A document, and its monitor."""

    def __init__(self, root: Path, program: str | None) -> None:
        self.path, self.program, self.monitor = root / "a.py", program, Monitor()
        self.session = session_of(self.path)

    def ask(self, marked: str, *, trusted: bool = True, runs: bool = False) -> Question | None:
        """Ask at the mark, and wait."""
        text, offset = at_mark(marked)
        reach = Reach(str(self.path.parent), trusted, runs)
        question = self.monitor.question(
            "python", str(self.path), self.session, text, offset, reach=reach, program=self.program
        )
        if question is not None:
            assert question.done.wait(PATIENCE_S)
        return question

    def fits(self, marked: str, *texts: str) -> list[bool]:
        """Whether texts make the file valid at the mark, once the checker was asked about them."""
        self.session.allowed = question = self.ask(marked)
        assert question is not None and said(question).startswith("ty ")
        state = self.session.hole(*at_mark(marked)).state
        assert state is not None
        after = [state.advance(text) for text in texts]
        return [one is not None and one.complete for one in after]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path, REAL)
    yield desk
    desk.monitor.stop()


def program(path: Path, text: str) -> Path:
    """A program of a shell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.skipif(os.name == "nt", reason="a program of a shell")
def test_nothing_is_started_in_a_folder_that_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor, "program_of", program_of)
    started = tmp_path / "started"
    own = program(tmp_path / "work" / ".venv" / "bin" / "ty", f"touch {started}")
    desk = Desk(tmp_path / "work", None)
    assert desk.ask("x = 'a'.|\n", trusted=False) is None
    assert not started.exists()
    assert program_of(TY, str(tmp_path / "work")) == str(own)
    with monkeypatch.context() as nowhere:  # as the command line asks, in any folder
        nowhere.setenv("PATH", "")
        nowhere.setattr(interpreter, "folder", lambda: str(tmp_path))
        assert desk.ask("x = 'a'.|\n") is None
    assert not started.exists()
    question = desk.ask("x = 'a'.|\n", runs=True)
    assert question is not None and said(question) == NO_ANSWER
    assert started.exists()


@pytest.mark.parametrize(
    "marked",
    [
        "x = |\n",
        "x = 1.|\n",
        "from a.|\n",
        "import a.|\n",
        "def f(|):\n    pass\n",
        "class A(|):\n    pass\n",
        "x = (1, |)\n",
    ],
)
def test_no_checker_is_asked_where_no_name_comes_that_it_knows(desk: Desk, marked: str) -> None:
    desk.program = desk.program or sys.executable
    question = desk.ask(marked)
    assert question is None or question.names() is None
    assert said(None) == NOT_ASKED


CLASSES = """import functools
import re
from pathlib import Path


class Basket:
    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.found = re.match("a", owner)

    def add(self, item: str, *, count: int = 1) -> None:
        self.items = [item] * count


def report(basket: Basket, path: Path | None, other) -> None:
"""


@needs_ty
@pytest.mark.parametrize(
    ("line", "right", "wrong"),
    [
        ("print(basket.|)", "owner found items add", "owners nonsense append"),
        ("print(basket.ow|)", "ner", "ners n"),
        ("print(basket.owner.strip().|)", "split title", "splitt open"),
        ("print(basket.found.|)", "group string", "groupp read"),  # of a value that may be None
        ("print(path.parent.|)", "name exists", "nam append"),
        ("print(path.read_text().split()[0].|)", "title", "titel"),
        ("print([one.| for one in basket.items])", "title", "titel name"),
        ("print(basket.|.strip())", "owner", "ownr"),
        ("if basket.| is None:\n        pass", "found", "fond"),
        ("print('a'.join(basket.|))", "items", "itms"),
        ("print(re.|)", "compile A", "compil"),
        ("print(other.|)", "anything owner", ""),  # an unknown owner
        ("basket.| = 1", "owner new", ""),  # an assignment may make it
        ("basket.|", "new=1 add('a')", "new() new"),
        ("basket.add('a', |)", "count=2", "number=2"),
        ("basket.add(|)", "'a' item='a'", "name='a'"),
        ("functools.partial(basket.add, |)", "count=2", ""),  # ty lists its own names
    ],
)
def test_exactly_the_names_that_ty_knows_may_come(desk: Desk, line: str, right: str, wrong: str) -> None:
    marked = f"{CLASSES}    {line}\n"
    assert desk.fits(marked, *right.split()) == [True] * len(right.split()), right
    assert desk.fits(marked, *wrong.split()) == [False] * len(wrong.split()), wrong


@needs_ty
@pytest.mark.parametrize(
    "around",
    [
        "try:\n    print(basket.|)\nexcept AttributeError:\n    pass\n",
        "if hasattr(basket, 'price'):\n    print(basket.|)\n",
        "print(basket.|)\nprint(basket.price)\n",  # known to its author
        "basket.price = 3\nprint(basket.|)\n",
    ],
)
def test_what_an_author_knows_better_is_left_to_them(desk: Desk, around: str) -> None:
    code = "".join(f"    {line}\n" for line in around.splitlines())
    assert desk.fits(CLASSES + code, "price", "owner") == [True, True]


@needs_ty
def test_nobody_is_asked_about_a_line_that_ignores_errors(desk: Desk) -> None:
    assert desk.ask(CLASSES + "    print(basket.|)  # type: ignore[attr-defined]\n    print()\n") is None
    assert desk.ask(CLASSES + "    print(basket.|)\n    print()  # type: ignore\n") is not None


@needs_ty
def test_a_module_has_submodules_that_were_imported_elsewhere(desk: Desk) -> None:
    package = desk.path.parent / "tools"
    (package / "inner").mkdir(parents=True)
    for path in (package / "__init__.py", package / "saws.py", package / "inner" / "__init__.py"):
        path.write_text("hammer = 3\n")
    for module, some in (("tools", {"hammer", "saws", "inner"}), ("importlib", {"util", "import_module"})):
        question = desk.ask(f"import {module}\nprint({module}.|)\n")
        assert question is not None
        names = question.names()
        assert names is not None and some <= names and "nails" not in names


@needs_ty
def test_a_module_that_computes_names_may_have_any(desk: Desk) -> None:
    module = "_OLD = {'old': 3}\nnew = 4\n\n\ndef __getattr__(name: str) -> object:\n    return _OLD[name]\n"
    (desk.path.parent / "tools.py").write_text(module)
    assert desk.fits("import tools\nprint(tools.|)\n", "old", "new", "other") == [True, True, True]


@needs_ty
def test_what_is_lacking_of_the_classes_above_may_come_from_a_class_beside(desk: Desk) -> None:
    text = "class Mixin:\n    def start(self, a):\n        super().|\n"
    assert desk.fits(text, "start(a)", "__init__()", "strt(a)") == [True, True, False]


@needs_ty
def test_private_names_of_others_may_come(desk: Desk) -> None:
    """The stubs of the standard library leave them out."""
    assert desk.fits(CLASSES + "    print(re.|)\n", "_compile", "cmpile") == [True, False]
    own = "class Basket:\n    def __init__(self):\n        self._items = []\n\n    def count(self):\n        return len(self.|)\n"
    assert desk.fits(own, "_items", "_itms") == [True, False]


@needs_ty
def test_a_name_of_a_class_that_the_own_one_is_mixed_into_may_come(desk: Desk) -> None:
    text = "class Mixin:\n    def code_of(self):\n        return self.|\n\n\nclass Error(Mixin):\n    code = 3\n"
    assert desk.fits(text, "code", "cod") == [True, False]


@needs_ty
def test_a_broken_file_is_mended_before_it_is_asked_about(desk: Desk) -> None:
    broken = "def f(:\n  )] pass\n\n\n" + CLASSES + "    print(basket.|\n\n\ndef g(:\n"
    question = desk.ask(broken)
    assert question is not None
    names = question.names()
    assert names is not None and {"owner", "add"} <= names and "def f(:" not in question.left


@needs_ty
@pytest.mark.skipif(os.name == "nt", reason="programs of a shell")
def test_ty_starts_nothing(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No uv, no Python: neither the workspace's nor the PATH's, in a project about which ty would ask uv."""
    for name in ("uv", "python", "python3", "pip", "git"):
        program(tmp_path / "path" / name, f"touch {tmp_path}/started-{name}")
        program(tmp_path / ".venv" / "bin" / name, f"touch {tmp_path}/started-{name}")
    (tmp_path / ".venv" / "pyvenv.cfg").write_text(f"home = {tmp_path}/path\nversion = 3.12.0\n")
    (tmp_path / ".venv" / "lib" / "python3.12" / "site-packages").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "a"\nversion = "1"\nrequires-python = ">=3.12"\n\n[tool.uv.workspace]\nmembers = ["b"]\n'
    )
    (tmp_path / "uv.lock").write_text("version = 1\n")
    monkeypatch.setenv("PATH", f"{tmp_path}/path{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TY_UV", "1")  # makes ty ask uv about a trusted workspace
    script = "# /// script\n# dependencies = ['requests']\n# ///\nimport requests\n"
    assert desk.fits(script + CLASSES + "    print(basket.|)\n", "owner", "ownr") == [True, False]
    assert [path.name for path in tmp_path.glob("started-*")] == []


@needs_ty
def test_a_child_ends_with_its_parent(tmp_path: Path) -> None:
    code = f"""if True:
        import sys, time
        from suture.lsp_server.types.child import LanguageServerChild
        from suture.parser.languages.python.type_server import TY
        child = LanguageServerChild([{REAL!r}, *TY.arguments], {str(tmp_path)!r}, TY.options)
        print(child.pid, flush=True)
        time.sleep(3600)
    """
    with subprocess.Popen([sys.executable, "-I", "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    until(lambda: not _runs(pid))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a program ends with its input")
def test_a_child_that_does_not_read_its_input_ends_with_its_parent(tmp_path: Path) -> None:
    deaf = program(
        tmp_path / "deaf", f"echo $$ > {tmp_path}/pid.new; mv {tmp_path}/pid.new {tmp_path}/pid; exec sleep 3600 0<&-"
    )
    code = f"""if True:
        from suture.lsp_server.types.child import LanguageServerChild
        LanguageServerChild([{str(deaf)!r}], {str(tmp_path)!r}, {{}})
    """
    with subprocess.Popen([sys.executable, "-I", "-c", code]) as parent:
        until((tmp_path / "pid").exists)
        parent.kill()
    pid = int((tmp_path / "pid").read_text())
    until(lambda: not _runs(pid))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    stat_ = Path(f"/proc/{pid}/stat")
    return not (stat_.exists() and stat_.read_text().rpartition(")")[2].split()[0] == "Z")


# -- answers


def report(*said: tuple[str, str, int, int]) -> dict[str, Any]:
    """Diagnostics of the first line: code, message, from, to."""
    return {
        "items": [
            {
                "code": code,
                "message": message,
                "range": {"start": {"line": 0, "character": begin}, "end": {"line": 0, "character": end}},
            }
            for code, message, begin, end in said
        ]
    }


def of(owner: str, name: str = SENTINEL) -> str:
    return f"Object of type `{owner}` has no attribute `{name}`"


@pytest.mark.parametrize(
    ("diagnostics", "expected"),
    [
        ([], None),
        ([("a", of("A"), 4, 9)], ("A", True, False, set())),
        ([("a", of("A"), 14, 19)], None),  # of another place
        ([("a", of("<super: <class 'A'>, Self@f>"), 4, 9)], ("<super: <class 'A'>, Self@f>", True, False, set())),
        ([("a", of('Literal["a `b` \\" `c"]'), 4, 9)], ('Literal["a `b` \\" `c"]', True, False, set())),
        ([("a", f"Module `a.b` has no member `{SENTINEL}`", 4, 9)], ("a.b", True, False, set())),
        ([("a", of("A | None"), 4, 9)], ("A | None", True, True, set())),
        ([("a", of("A | B"), 4, 9)], ("A | B", False, False, set())),
        ([("a", of("dict[str, A | B]"), 4, 9)], ("dict[str, A | B]", True, False, set())),
        ([("a", of("None"), 4, 9)], ("None", False, True, set())),
        ([("a", of("A & <Protocol with members 'foo'>"), 4, 9)], None),
        ([("a", f"Function `f` has no attribute `{SENTINEL}`", 4, 9)], None),
        ([("a", f"Attribute `{SENTINEL}` is not defined on `A` in union `A | B`", 4, 9)], None),
        ([("a", of("A"), 4, 9), ("a", of("B", "x"), 20, 25)], ("A", True, False, {"B", "x"})),
        ([("a", of("A"), 4, 9), ("a", of("A", "x"), 20, 25)], None),
        ([("a", of("A"), 4, 9), ("b", of("A", "x"), 20, 25)], ("A", True, False, set())),
        ([("a", of("Self@f"), 4, 9), ("a", of("Self@g", "x"), 20, 25)], None),
    ],
)
def test_the_gate(diagnostics: list[tuple[str, str, int, int]], expected: Any) -> None:
    found = gate(report(*diagnostics), TY, {"line": 0, "character": 4})
    assert (
        None if found is None else (found.owner, found.is_listed, found.may_be_none, set(found.strange))
    ) == expected


@pytest.mark.parametrize("said", [None, 3, [], {"items": 3}, {"items": [3, {}, {"range": 3}, {"range": {"start": 1}}]}])
def test_what_is_no_report_closes_nothing(said: Any) -> None:
    assert gate(said, TY, {"line": 0, "character": 4}) is None


def test_the_names_in_a_list() -> None:
    items = [{"label": "a"}, {"label": "b (import c)"}, {"label": "c", "insertText": "d"}, {"label": "e="}, 3, {}]
    assert names_of({"items": items}, TY.name, argument=False) == {"a", "d"}
    assert names_of(items, TY.name, argument=True) == {"e"}
    assert names_of(None, TY.name, argument=False) is None
    assert names_of([{"label": f"a{number}"} for number in range(1000)], TY.name, argument=False) is None


def test_the_parts_of_a_union() -> None:
    assert alternatives("A[B | C] | (D | E) -> F | None") == ["A[B | C]", "(D | E)    F", "None"]


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        ("x = a.", "x = (a or exit())."),
        ("f(a, b[0].c().", "f(a, (b[0].c() or exit())."),
        ("re.match('(', s) .", "(re.match('(', s) or exit())."),
        ("return not x.", "return not (x or exit())."),
        ("a + b.", "a + (b or exit())."),
        ("{1: 2}.", "({1: 2} or exit())."),
        ("a = 1\n    b, c.", "a = 1\n    b, (c or exit())."),
        ("foo).", None),
        ("a +.", None),
    ],
)
def test_an_operand_that_is_not_none(left: str, expected: str | None) -> None:
    assert certain(left) == expected


def test_doctor_says_where_the_chosen_type_checker_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor, "program_of", program_of)

    def found(chosen: str) -> tuple[str, str]:
        finding = doctor_checks._type_checkers(chosen)
        return finding.level, finding.found

    assert found("")[0] == "ok"
    for other in ("nosuch", "basedpyright-langserver", "/usr/bin/mypy"):
        assert found(other) == ("warning", f"{other} is not asked")
    program = tmp_path / "gopls"
    assert found(str(program)) == ("warning", f"{program} cannot be run")
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    level, programs = found(str(program))
    assert level == "ok" and str(program) in programs
