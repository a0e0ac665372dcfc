"""The type checkers of TypeScript and Go: their knowledge is respected like that of Python's, and they start nothing."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from suture.common.reach import Reach
from suture.lsp_server.types.checker import Checker
from suture.lsp_server.types.monitor import NO_ANSWER, Monitor, program_of, said
from suture.lsp_server.types.questions import SENTINEL, Question, gate
from suture.parser import Session, language
from suture.parser.languages.go.type_server import GOPLS
from suture.parser.languages.python.type_server import TY
from suture.parser.languages.typescript.type_server import tsgo

from ..support.work import PATIENCE_S
from .test_types import FAKE, at_mark, program, report, until

TSGO = tsgo("typescript")
REAL_TSGO = program_of(TSGO, str(Path(__file__).resolve().parent.parent / "support" / "typescript"))
REAL_GOPLS = program_of(GOPLS, None)
needs_tsgo = pytest.mark.skipif(REAL_TSGO is None, reason="tsgo is not installed")
needs_gopls = pytest.mark.skipif(REAL_GOPLS is None, reason="gopls is not on the PATH")

BASKET = """export class Basket {
  owner = "";
  items: string[] = [];
  $count = 0;
  #secret = 1;
  private hidden = 1;
  add(item: string): void { this.items.push(item); }
  reveal() { return this.#secret + this.hidden; }
}
"""
USES = """import { Basket } from "./basket";

export function report(basket: Basket, other: any, some: Basket | undefined, either: Basket | string, options: { deep?: number }) {
"""
STORE = """package store

import "strings"

type Basket struct {
\tOwner string
\titems []string
}

func (b *Basket) Add(item string) { b.items = append(b.items, strings.TrimSpace(item)) }

func Report(b *Basket, other any, err error) string {
"""


class Desk:
    """A document of a language in a trusted folder, and its monitor."""

    def __init__(self, root: Path, name: str, file: str, program: str | None) -> None:
        self.root, self.name, self.path, self.program, self.monitor = root, name, root / file, program, Monitor()
        self.session: Session = language(name).session(str(self.path), str(root))
        self.session.level = "names"

    def ask(self, marked: str, *, trusted: bool = True, runs: bool = False) -> Question | None:
        """Ask at the mark, and wait."""
        reach = Reach(str(self.root), trusted, runs)
        question = self.monitor.question(
            self.name, str(self.path), self.session, *at_mark(marked), reach=reach, program=self.program
        )
        if question is not None:
            assert question.done.wait(PATIENCE_S)
        return question

    def fits(self, marked: str, *texts: str) -> list[bool]:
        """Whether texts make the file valid at the mark, as far as the checker knows."""
        self.session.allowed = question = self.ask(marked)
        assert question is not None and said(question) != NO_ANSWER
        state = self.session.hole(*at_mark(marked)).state
        assert state is not None
        after = [state.advance(text) for text in texts]
        return [one is not None and one.complete for one in after]


@pytest.fixture
def typescript(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "tsconfig.json").write_text('{"compilerOptions": {"strict": true, "target": "es2022"}}')
    (tmp_path / "basket.ts").write_text(BASKET)
    desk = Desk(tmp_path, "typescript", "uses.ts", REAL_TSGO)
    yield desk
    desk.monitor.stop()


@needs_tsgo
@pytest.mark.parametrize(
    ("line", "right", "wrong"),
    [
        ("return basket.|;", "owner items add $count add('a')", "owners length hidden x"),
        ("return basket.ow|;", "ner ner.length", "ners n"),
        ("return basket.|.length;", "owner items", "ownr"),
        ("return basket.items.map((item) => item.|);", "length trim()", "lenght titel"),
        ("return basket.items\\n    .|;", "length map(String)", "lenght"),
        ("return some?.|;", "owner", "ownr"),
        ("return some.|;", "owner", "ownr"),  # whether it may be undefined is another question
        ("return options.|;", "deep", "deeper"),
        ("return either.|;", "toString() valueOf()", "owner length"),  # not all of the union have it
        ("return Math.|;", "PI max(1)", "pi mx"),
        ("if (basket.|) { return; }", "owner", "ownr"),
        ("basket.| = 'a';", "owner", "title"),
        ("return other.|;", "anything owner", ""),
        ("report.|;", "anything", ""),  # a function may be given members
        ("return 'basket.|';", "anything", ""),
        ("// basket.|", "anything", ""),
    ],
)  # fmt: skip
def test_exactly_the_members_that_tsgo_knows_may_come(typescript: Desk, line: str, right: str, wrong: str) -> None:
    marked = f"{USES}  {line}\n}}\n".replace("\\n", "\n")
    assert typescript.fits(marked, *right.split()) == [True] * len(right.split()), right
    assert typescript.fits(marked, *wrong.split()) == [False] * len(wrong.split()), wrong


@needs_tsgo
def test_private_members_of_the_own_class_may_come(typescript: Desk) -> None:
    marked = BASKET.replace("this.#secret + this.hidden", "this.|")
    assert typescript.fits(marked, "#secret", "hidden", "hiden") == [True, True, False]


@needs_tsgo
def test_a_broken_file_of_typescript_is_mended_before_it_is_asked_about(typescript: Desk) -> None:
    question = typescript.ask(f"{USES}  return basket.|\n}}\n\nfunction broken( {{ ) }}\n")
    assert question is not None
    names = question.names()
    assert names is not None and "owner" in names


@needs_tsgo
@pytest.mark.skipif(os.name == "nt", reason="programs of a shell")
def test_tsgo_starts_nothing(tmp_path: Path, typescript: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """No npm, in a project whose types tsgo would install at once without our options."""
    for name in ("npm", "npx", "node", "pnpm", "yarn"):
        program(tmp_path / "path" / name, 'touch "$STARTED"')
    acquisition = {"enable": True, "include": ["lodash"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": {}, "typeAcquisition": acquisition}))
    (tmp_path / "package.json").write_text('{"name": "a", "dependencies": {"lodash": "1"}}')
    monkeypatch.setenv("PATH", f"{tmp_path}/path{os.pathsep}{os.environ['PATH']}")
    for variable in ("HOME", "XDG_CACHE_HOME"):  # its possible folders for them
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    assert REAL_TSGO is not None
    checkers: list[Checker] = []
    for started, options in (("ours", TSGO.options), ("free", {})):
        server = replace(TSGO, options=options, environment={"STARTED": str(tmp_path / started)})
        checkers.append(checker := Checker(server, (REAL_TSGO, *TSGO.arguments), str(tmp_path)))
        left = f'import _ from "lodash";\n{USES}  return basket.'
        question = Question(server, typescript.path.as_uri(), left, ";\n}\n", "  return basket.", False)
        assert checker.ask(question).done.wait(PATIENCE_S)
        assert question.names() is not None
    until((tmp_path / "free").exists)
    assert not (tmp_path / "ours").exists()
    for checker in checkers:
        checker.stop()


@pytest.mark.skipif(os.name == "nt", reason="a program of a shell")
def test_the_tsgo_of_a_folder_runs_only_where_its_user_trusts_it(tmp_path: Path) -> None:
    started = tmp_path / "started"
    for path in TSGO.own:
        program(tmp_path / path, f"touch {started}")
        assert program_of(TSGO, str(tmp_path)) == str(tmp_path / path)
        (tmp_path / path).unlink()
    desk = Desk(tmp_path, "typescript", "uses.ts", None)
    program(tmp_path / TSGO.own[0], f"touch {started}")
    assert desk.ask("x.|", trusted=False, runs=True) is None
    assert desk.ask("x.|") is None
    assert not started.exists()


def test_a_chosen_checker_is_asked_in_its_language_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, gopls = program(tmp_path / "my-ty", ""), program(tmp_path / "bin" / "gopls", "")
    monkeypatch.setenv("PATH", str(gopls.parent))
    assert program_of(TY, None, str(own)) == str(own)
    assert program_of(GOPLS, None, str(own)) == str(gopls)
    assert program_of(TSGO, None, str(tmp_path / "tsc")) is None  # a missing one


# -- Go


@pytest.fixture
def go(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "go.mod").write_text("module a\n\ngo 1.21\n")
    desk = Desk(tmp_path, "go", "store.go", REAL_GOPLS)
    yield desk
    desk.monitor.stop()


GO_LINES = [
    ("return b.|", "Owner", "Owners owner x"),
    ("return b.Ow|", "ner", "ners n"),
    ("return strings.|", "ToUpper(b.Owner)", "toUpper(b.Owner) Upper(b.Owner)"),
    ("return strings.TrimSpace(b.|)", "Owner", "Ownr"),
    ("return strings.NewReplacer().|", 'Replace("a")', 'Replce("a")'),
    ('b.| = "a"', "Owner", "Title"),
    ("return err.|", "Error()", "Eror()"),
    ("// b.|", "anything", ""),
    ('return "b.|"', "anything", ""),
]


@needs_gopls
@pytest.mark.parametrize(("line", "right", "wrong"), GO_LINES)
def test_exactly_the_members_that_gopls_knows_may_come(go: Desk, line: str, right: str, wrong: str) -> None:
    end = "" if line.startswith("return") else '\treturn ""\n'
    marked = f"{STORE}\t{line}\n{end}}}\n"
    assert go.fits(marked, *right.split()) == [True] * len(right.split()), right
    assert go.fits(marked, *wrong.split()) == [False] * len(wrong.split()), wrong


@needs_gopls
@pytest.mark.skipif(os.name == "nt", reason="programs of a shell")
def test_gopls_fetches_nothing(go: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without our variables it would ask git for a module and a toolchain, and C's compiler for a package."""
    for name in ("git", "gcc", "cc", "pkg-config"):
        program(go.root / "path" / name, 'touch "$STARTED"; exit 1')
    (go.root / "go.mod").write_text("module a\n\ngo 1.21\n\nrequire example.com/b v1.0.0\n")
    monkeypatch.setenv("PATH", f"{go.root}/path{os.pathsep}{os.environ['PATH']}")
    for variable, value in {"GOPROXY": "direct", "GOFLAGS": "-mod=mod", "GOSUMDB": "off", "CGO_ENABLED": "1"}.items():
        monkeypatch.setenv(variable, value)
    assert REAL_GOPLS is not None
    left = STORE.replace('import "strings"', 'import "C"\nimport "strings"\nimport "example.com/b"') + "\treturn b."
    free = {**GOPLS.options, "env": {}}
    for started, options, variables in (("ours", GOPLS.options, GOPLS.environment), ("free", free, {})):
        environment = {**variables, "STARTED": str(go.root / started)}
        server = replace(GOPLS, options=options, environment=environment)
        checker = Checker(server, (REAL_GOPLS, *GOPLS.arguments), str(go.root))
        question = Question(server, go.path.as_uri(), left, "\n}\n", "\treturn b.", False)
        assert checker.ask(question).done.wait(PATIENCE_S)
        checker.stop()
    until((go.root / "free").exists)
    assert not (go.root / "ours").exists()


class Said(NamedTuple):
    """A message of Go's compiler about the nonsense name, and the owner in it; "" for an open gate."""

    message: str
    owner: str


@pytest.mark.parametrize(
    ("message", "owner"),
    [
        Said(f"b.{SENTINEL} undefined (type *Basket has no field or method {SENTINEL})", "*Basket"),
        Said(f"x.{SENTINEL} undefined (type interface{{A() (int, error)}} has no field or method {SENTINEL})", "interface{A() (int, error)}"),
        Said(f"x.{SENTINEL} undefined (type func(a int) (b int) has no field or method {SENTINEL})", "func(a int) (b int)"),
        Said(f"undefined: strings.{SENTINEL}", "strings"),
        Said(f"x.{SENTINEL} undefined (type *I is pointer to interface, not interface)", ""),
        Said(f"undefined: {SENTINEL}", ""),
        Said(f"b.other undefined (type {SENTINEL} has no field or method other)", "other"),
    ],
)  # fmt: skip
def test_the_gate_of_go(message: str, owner: str) -> None:
    place = gate(report(("MissingFieldOrMethod", message, 4, 9)), GOPLS, {"line": 0, "character": 4})
    assert ("" if place is None else place.owner) == owner


@pytest.mark.parametrize(
    ("message", "owner"),
    [
        Said(f"Property '{SENTINEL}' does not exist on type 'Basket'.", "Basket"),
        Said(f"Property '{SENTINEL}' does not exist on type 'A | B'.\n  Property '{SENTINEL}' does not exist on type 'A'.", "A | B"),
        Said(f"Namespace 'NodeJS' has no exported member '{SENTINEL}'.", "NodeJS"),
        Said(f"Property '{SENTINEL}' does not exist on type '(a: number) => void'.", ""),
        Said(f"Property '{SENTINEL}' does not exist on type '<T>(a: T) => void'.", ""),
        Said(f"Cannot find name '{SENTINEL}'.", ""),
        Said(f"Property '{SENTINEL}' does not exist on type 'A'. Did you mean to access the static member 'A.b' instead?", ""),
    ],
)  # fmt: skip
def test_the_gate_of_typescript(message: str, owner: str) -> None:
    place = gate(report(("2339", message, 4, 9)), TSGO, {"line": 0, "character": 4})
    assert ("" if place is None else place.owner) == owner


def test_a_server_that_does_not_answer_for_diagnostics_is_given_up(tmp_path: Path) -> None:
    """typescript-language-server and old releases of gopls only tell them unasked."""
    (tmp_path / "fake.json").write_text(json.dumps({"knows": {}, "capabilities": {}}))
    checker = Checker(GOPLS, (sys.executable, "-I", str(FAKE)), str(tmp_path))
    for number in range(4):
        question = checker.ask(
            Question(GOPLS, (tmp_path / "a.go").as_uri(), f"x{number} = box.", "\n", f"x{number} = box.", False)
        )
        assert question.done.wait(PATIENCE_S)
        assert said(question) == NO_ANSWER
    assert "does not answer for diagnostics" in checker.problem


def test_a_checker_is_asked_in_the_environment_of_its_language(tmp_path: Path) -> None:
    (tmp_path / "fake.json").write_text(json.dumps({"knows": {}}))
    checker = Checker(GOPLS, (sys.executable, "-I", str(FAKE)), str(tmp_path))
    question = checker.ask(Question(GOPLS, (tmp_path / "a.go").as_uri(), "x = box.", "\n", "x = box.", False))
    assert question.done.wait(PATIENCE_S)
    checker.stop()
    assert json.loads((tmp_path / "environment.json").read_text()).items() >= GOPLS.environment.items()
