"""JavaScript and TypeScript against the suites of others: test262-parser-tests and Babel's fixtures, where they are, with acorn, Babel and TypeScript as judges.

SUTURE_TEST262_PARSER_TESTS names a clone of tc39/test262-parser-tests, SUTURE_BABEL_FIXTURES the folder packages/babel-parser/test/fixtures of babel/babel.
"""

import os
from collections import Counter
from pathlib import Path

import pytest

from ..fuzz.typescript import LANGUAGES, accepts, is_file, why_refused, why_taken
from ..support import oracle_typescript as oracle

NO_STANDARD = ("flow", "placeholders", "v8intrinsic", "experimental", "estree", "tokens")
DIALECTS = {
    ".js": "js",
    ".mjs": "js",
    ".cjs": "js",
    ".jsx": "jsx",
    ".ts": "ts",
    ".mts": "ts",
    ".cts": "ts",
    ".tsx": "tsx",
}
LEFT = {
    "es2022/class-private-properties/failure-delete-optional-private-property/input.js",
    "typescript/cast/destructuring-assignment-in-parens/input.ts",
    "typescript/cast/satisfies-const-error/input.ts",
    "typescript/declare/function-rest-trailing-comma/input.ts",
    "typescript/declare/valid-namespace-var/input.ts",
    "typescript/type-arguments/empty-type-import/input.ts",
    "typescript/type-arguments-bit-shift-left-like/type-arguments-like/input.ts",
    "typescript/types/tuple-labeled-invalid-optional/input.ts",
    "typescript/regression/nested-extends-in-arrow-type-param/input.ts",
    "typescript/types/intrinsic-keyword-error/input.ts",
}
"""Fixtures with another verdict, outside of all classes."""


def suite(variable: str) -> Path:
    """The folder named by an environment variable."""
    oracle.needed()
    if not os.environ.get(variable):
        pytest.skip(f"{variable} names no folder")
    return Path(os.environ[variable])


def test_test262_parser_tests() -> None:
    folder = suite("SUTURE_TEST262_PARSER_TESTS")
    passed = [path.read_text("utf-8") for path in sorted((folder / "pass").glob("*.js"))]
    failed = [path.read_text("utf-8") for path in sorted((folder / "fail").glob("*.js"))]
    assert len(passed) > 1_900 and len(failed) > 700
    # Refused texts are not modules: names such as `yield`, octal numbers, comments as in HTML.
    assert [text for text in passed if not accepts(text, "js") and oracle.acorn(text) is None] == []
    # TypeScript's parser takes the accepted texts, too, except for escapes of characters forbidden in names.
    assert [
        text for text in failed if accepts(text, "js") and oracle.typescript(text, "js") and "\\u" not in text
    ] == []


def test_the_fixtures_of_babel() -> None:
    folder, asked, wrong = suite("SUTURE_BABEL_FIXTURES"), Counter[str](), list[str]()
    for path in sorted(folder.rglob("input.*")):
        name, dialect = path.relative_to(folder).as_posix(), DIALECTS.get(path.suffix)
        if dialect not in LANGUAGES or name.startswith(NO_STANDARD):
            continue
        text = path.read_text("utf-8", "replace").removeprefix("\ufeff")
        valid, taken = is_file(text, dialect), accepts(text, dialect)
        asked[dialect] += 1
        if valid and not taken and not why_refused(text, dialect):
            wrong.append(f"refused: {name}")
        if taken and oracle.typescript(text, dialect) and not why_taken(text, dialect):
            wrong.append(f"accepted: {name}")
    assert asked["js"] > 3_000 and asked["ts"] > 600
    assert [line for line in wrong if line.partition(": ")[2] not in LEFT] == []
