"""The names that need no declaration: those of the language, of browsers and workers, of Node, and of test runners in tests."""

from __future__ import annotations

import json
import re
from functools import cache
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from .....common.words import words_of
from ..versions import DEFAULT_VERSION, VERSIONS
from .kinds import Use

_FILE = Path(__file__).with_name("library_names.json")
_NODE = words_of("process Buffer global __dirname __filename module require exports setImmediate clearImmediate gc")
_NODE_TYPES = words_of("NodeJS Buffer BufferConstructor BufferEncoding NodeRequire NodeModule RequestInit ErrorOptions")
_EVERYWHERE = frozenset(["React", "JSX", "undefined"])
"""`React` may be known to all modules (`export as namespace`), and `JSX` is the namespace of its types."""
TESTING = words_of("""
    after afterAll afterEach assert assertType before beforeAll beforeEach chai context cy Cypress describe expect
    expectTypeOf fail fcontext fdescribe fit it jest mocha onTestFailed onTestFinished run setup specify suite
    suiteSetup suiteTeardown teardown test vi vitest xcontext xdescribe xit xspecify xtest jasmine spyOn
""")
"""The names declared by test runners."""
_TEST = re.compile(
    r"(?:^|/)(?:__tests__|__mocks__|tests?|specs?|e2e|cypress)/|[._-](?:test|spec|tst|cy|e2e)\.\w+$|(?:^|/)(?:vitest|jest|setup-?tests?|tests?-?setup)[\w.-]*$",
    re.IGNORECASE,
)


class Names(NamedTuple):
    """Names by the kinds of their possible reads."""

    values: frozenset[str]
    types: frozenset[str]
    namespaces: frozenset[str]

    def has(self, name: str, how: int) -> bool:
        """Whether a name is known in every role it is read in."""
        if how & (Use.VALUE | Use.QUERY) and name not in self.values:
            return False
        if how & Use.TYPE and name not in self.types:
            return False
        if how & Use.SPACE and name not in self.namespaces and name not in self.values:
            return False
        return bool(how & (Use.VALUE | Use.TYPE | Use.SPACE | Use.QUERY)) or name in self.values or name in self.types


@cache
def library(version: str = DEFAULT_VERSION) -> Names:
    """The names known in each file, in a version of TypeScript."""
    listed = json.loads(_FILE.read_text(encoding="utf-8"))
    more, less = listed["of 6.0"], listed["only of 5.9"]
    if version == VERSIONS[0]:
        more, less = less, more
    values, types, namespaces = (
        frozenset(f"{listed[key]} {more[key]}".split()) - frozenset(less[key].split())
        for key in ("values", "types", "namespaces")
    )
    return Names(
        values | _NODE | _EVERYWHERE, types | _NODE_TYPES | _EVERYWHERE, namespaces | _NODE_TYPES | _EVERYWHERE
    )


def is_declaration_file(path: str | PathLike[str] | None) -> bool:
    """Whether a file has only declarations, by its name."""
    return path is not None and Path(path).name.endswith((".d.ts", ".d.mts", ".d.cts"))


def is_test(path: str) -> bool:
    """Whether a file is run by a test runner, by its name."""
    return _TEST.search(path.replace("\\", "/")) is not None
