"""The members allowed by a type checker, in languages whose own semantics know of none: a text is refused as soon as its first name is not
among them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from suture.parser import Session, language

FILES = {
    "typescript": "export function f(box: { open: number }) {\n  return box.@;\n}\n",
    "typescriptreact": "export const f = (box: { open: number }) => <p>{box.@}</p>;\n",
    "go": "package p\n\nfunc f(box *Box) int {\n\treturn box.@\n}\n\ntype Box struct{ open, openAll, size int }\n",
}
KNOWN = frozenset(("open", "openAll", "size"))


@dataclass(frozen=True)
class Told:
    """A type checker's answer about a place."""

    line: str
    known: frozenset[str] | None = KNOWN
    argument: bool = False
    owner: str = "`Box`"
    settled: bool = True
    is_whole: bool = True

    def names(self) -> frozenset[str] | None:
        """All there are."""
        return self.known

    def may_begin(self, begun: str) -> bool:
        """Whether a known name begins with these letters."""
        return self.known is None or any(name.startswith(begun) for name in self.known)

    def foresee(self, name: str) -> None:
        """Nothing: a list has all names."""

    def refuses(self, name: str) -> bool:
        """Whether a name is unknown."""
        return self.known is not None and name not in self.known


def hole(name: str, begun: str, behind: str, known: frozenset[str] | None = KNOWN, *, elsewhere: bool = False):
    """The first state of a hole behind a dot, with letters before and behind it."""
    left, _, right = FILES[name].partition("@")
    session: Session = language(name).session("a")
    session.level = "names"
    line = left.rpartition("\n")[2]
    session.allowed = Told("return other." if elsewhere else line, known)
    text = left + begun + behind + right
    state = session.hole(text, len(left + begun)).state
    assert state is not None
    return state


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("begun", "text", "behind", "may_come", "ends"),
    [
        ("", "open", "", True, True),
        ("", "op", "", True, False),
        ("", "opn", "", False, False),
        ("", "opens", "", False, False),
        ("", "open + 1", "", True, True),
        ("", "op + 1", "", False, False),
        ("", "openA", "", True, False),
        ("o", "pen", "", True, True),
        ("o", "penal", "", False, False),
        ("o", "p", "en", True, True),
        ("", "op", "en", True, True),
        ("", "op", "enAl", True, False),
        ("s", " + 1", "", False, False),
        ("size", " + 1", "", True, True),
    ],
)
def test_exactly_the_known_members_may_come(
    name: str, begun: str, text: str, behind: str, may_come: bool, ends: bool
) -> None:
    after = hole(name, begun, behind).advance(text)
    assert (after is not None) == may_come
    assert (after is not None and after.complete) == ends
    step = hole(name, begun, behind)
    for char in text:  # as it comes from a model, in pieces
        step = step.advance(char) if step is not None else None
    assert (step is not None) == may_come


@pytest.mark.parametrize("name", FILES)
def test_a_member_may_stand_in_the_next_line(name: str) -> None:
    after = hole(name, "", "").advance("\n\t\tsize")
    assert after is not None and after.complete
    assert hole(name, "", "").advance("\n\t\tsiz +") is None


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("known", "elsewhere"), [(None, False), (KNOWN, True)])
def test_any_may_come_where_nobody_knows(name: str, known: frozenset[str] | None, elsewhere: bool) -> None:
    after = hole(name, "", "", known, elsewhere=elsewhere).advance("anything")
    assert after is not None and after.complete


@pytest.mark.parametrize("name", FILES)
def test_a_bridge_writes_a_known_member(name: str) -> None:
    bridges = hole(name, "", "").bridges()
    assert bridges and all(bridge.strip() in KNOWN for bridge in bridges)


@pytest.mark.parametrize("name", FILES)
def test_a_refusal_says_whose_members_they_are(name: str) -> None:
    assert hole(name, "", "").refusal("opn") == "`Box` has no member 'opn'"


@pytest.mark.parametrize("name", FILES)
def test_a_wrong_member_that_is_there_already_is_no_fault_of_the_text(name: str) -> None:
    assert hole(name, "", "wrong").complete


def test_no_plain_members_are_left_to_the_compiler() -> None:
    type_switch = "package p\n\nfunc f(box any) {\n\tswitch box.@ {\n\t}\n}\n"
    left, _, right = type_switch.partition("@")
    session = language("go").session("a.go")
    session.level, session.allowed = "names", Told("\tswitch box.")
    after = session.hole(left + right, len(left)).state
    assert after is not None
    after = after.advance("(type)")
    assert after is not None and after.complete
