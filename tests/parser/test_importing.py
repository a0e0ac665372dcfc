"""The possible imports of a document, and their places: the order of isort and gofmt, and texts that only an import makes valid."""

import ast
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyflakes.checker import Checker
from pyflakes.messages import UndefinedName
from suture.parser import imports_for, language
from suture.parser.importing import Importer, ImportRequest, Insertion, combined, inserted, length_of
from suture.parser.language import importer_of
from suture.parser.languages.go.importing import read_top as read_top_of_go
from suture.parser.languages.python.import_lines import ImportLine, read_top

from ..support.oracle_go import goroot, library_sources

ROOT = Path(__file__).parents[2]


def importer(name: str) -> Importer:
    found = importer_of(name)
    assert found is not None
    return found


PYTHON, GO = importer("python"), importer("go")


def added(text: str, statement: str, name: str = "python", offset: int | None = None, path: str | None = None) -> str:
    """A text with an import, in the style of a language."""
    imports = imports_for(name, None, path) if path else None
    asked = ImportRequest(text, path, None, {}, imports)
    return inserted(text, importer(name).insertions(text, len(text) if offset is None else offset, statement, asked))


def own_files() -> list[Path]:
    """The files of this repository, which have sorted imports."""
    folders = ("common", "lsp_server", "model", "parser", "training", "slua", "benchmarks", "tests")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def test_two_steps_are_one():
    rng = random.Random(3)
    for _ in range(2_000):
        text = "".join(rng.choice("ab") for _ in range(rng.randrange(8)))

        def some(text: str, letters: str) -> tuple[Insertion, ...]:
            places = sorted(rng.sample(range(len(text) + 1), rng.randrange(min(3, len(text) + 1))))
            return tuple(Insertion(at, rng.choice(letters) * rng.randrange(1, 3)) for at in places)

        first = some(text, "xy")
        between = inserted(text, first)
        second = some(between, "01")
        assert inserted(text, combined(first, second)) == inserted(between, second), (text, first, second)


# -- Python: the place


@pytest.mark.parametrize(
    ("before", "statement", "after"),
    [
        ("x = \n", "import json", "import json\n\nx = \n"),
        ("def f():\n    \n", "import json", "import json\n\n\ndef f():\n    \n"),
        ('"""Doc."""\nx = \n', "import json", '"""Doc."""\n\nimport json\n\nx = \n'),
        ('"""Doc."""\n\n\ndef f():\n    \n', "import json", '"""Doc."""\n\nimport json\n\n\ndef f():\n    \n'),
        ("#!/usr/bin/python\n\nx = \n", "import json", "#!/usr/bin/python\n\nimport json\n\nx = \n"),
        ("# Licence\n\n# about x\nx = \n", "import json", "# Licence\n\nimport json\n\n# about x\nx = \n"),
        (
            "from __future__ import annotations\n\nx = \n",
            "import json",
            "from __future__ import annotations\n\nimport json\n\nx = \n",
        ),
        ("import os\nimport sys\n\nx = \n", "import re", "import os\nimport re\nimport sys\n\nx = \n"),
        ("import os\n\nx = \n", "from abc import ABC", "import os\nfrom abc import ABC\n\nx = \n"),
        ("import os\n\nx = \n", "import numpy as np", "import os\n\nimport numpy as np\n\nx = \n"),
        ("import numpy as np\n\nx = \n", "import os", "import os\n\nimport numpy as np\n\nx = \n"),
        ("import os\n\nfrom .a import b\n\nx = \n", "import requests", "import os\n\nimport requests\n\nfrom .a import b\n\nx = \n"),
        ("from typing import Any\n\nx = \n", "from typing import Optional", "from typing import Any, Optional\n\nx = \n"),
        ("from a import B, d\n\nx = \n", "from a import C", "from a import B, C, d\n\nx = \n"),
        ("from a import (\n    b,\n    d,\n)\n\nx = \n", "from a import c", "from a import (\n    b,\n    c,\n    d,\n)\n\nx = \n"),
        ("from a import (\n    b,\n    d,\n)\n\nx = \n", "from a import e", "from a import (\n    b,\n    d,\n    e,\n)\n\nx = \n"),
        ("from a import (\n    b,\n    d\n)\n\nx = \n", "from a import e", "from a import (\n    b,\n    d,\n    e\n)\n\nx = \n"),
        ("from . import b\n\nx = \n", "from . import a", "from . import a, b\n\nx = \n"),
        ("from . import b\n\nx = \n", "from .a import c", "from . import b\nfrom .a import c\n\nx = \n"),
        ("from .. import b\nfrom . import e\n\nx = \n", "import os", "import os\n\nfrom .. import b\nfrom . import e\n\nx = \n"),
        ("from a import b as c\n\nx = \n", "from a import d", "from a import b as c\nfrom a import d\n\nx = \n"),
        ("import heapq\n\nx = \n", "import heapq as hq", "import heapq\nimport heapq as hq\n\nx = \n"),
        ("import heapq as hq\n\nx = \n", "import heapq", "import heapq\nimport heapq as hq\n\nx = \n"),
        ("from a import b\n\nx = \n", "from a import b as c", "from a import b\nfrom a import b as c\n\nx = \n"),
        ("from a import b as c\n\nx = \n", "from a import b", "from a import b\nfrom a import b as c\n\nx = \n"),
        ("import os\nimport sys  # first\n\nx = \n", "import zlib", "import os\nimport sys  # first\nimport zlib\n\nx = \n"),
        ("import os\r\nimport sys\r\n\r\nx = \r\n", "import re", "import os\r\nimport re\r\nimport sys\r\n\r\nx = \r\n"),
        ("import os\nprint()\nimport sys\n\nx = \n", "import zlib", "import os\nimport zlib\nprint()\nimport sys\n\nx = \n"),
        ("import os\ntry:\n    import a\nexcept ImportError:\n    a = None\nx = \n", "import re",
         "import os\nimport re\ntry:\n    import a\nexcept ImportError:\n    a = None\nx = \n"),
        ("\ufeffx = \n", "import json", "\ufeffimport json\n\nx = \n"),
    ],
)  # fmt: skip
def test_an_import_of_python_goes_where_the_order_puts_it(before, statement, after):
    assert added(before, statement, offset=before.rindex("\n")) == after


def test_a_long_import_gets_its_names_into_lines():
    names = ", ".join(f"name{number:02}" for number in range(10))
    text = f"from a_rather_long_package import {names}\n\nx = \n"
    found = added(text, "from a_rather_long_package import name05b")
    lines = found.splitlines()
    assert lines[0] == "from a_rather_long_package import (" and lines[7] == "    name05b," and lines[12] == ")"
    ast.parse(found.replace("x = ", ""))


@pytest.mark.parametrize("text", ["import os, |\n", "x = (\n    |\n)\nimport os\n", "import os\nif x:\n    y = |\n"])
def test_nothing_is_written_into_or_below_the_statement_of_the_cursor(text):
    offset = text.index("|")
    text = text.replace("|", "")
    asked = ImportRequest(text)
    begin = max((line.end for line in read_top(text, offset).lines), default=0)
    for one in PYTHON.insertions(text, offset, "import zlib", asked):
        assert one.at <= begin <= text.rfind("\n", 0, offset) + 1


def taken_out(text: str) -> Iterator[tuple[str, str]]:
    """(the text without an import, the import) for each of its imports."""
    for line in read_top(text, len(text)).lines:
        statement = text[line.begin : line.end]
        if line.is_from and len(line.members) > 1:
            for number, one in enumerate(line.members):
                name = f"from {line.module} import {text[one.begin : one.end]}"
                begin, end = text.rfind("\n", 0, one.begin) + 1, text.find("\n", one.end) + 1
                if "\n" not in statement.strip():
                    behind = number + 1 < len(line.members)
                    begin = one.begin if behind else line.members[number - 1].end
                    end = line.members[number + 1].begin if behind else one.end
                elif text[begin : one.begin].strip() or text[one.end : end].strip() != ",":
                    continue
                yield text[:begin] + text[end:], name
        elif line.is_from or "," not in statement:
            names = [text[one.begin : one.end] for one in line.members]
            code = statement.partition("#")[0].strip()
            yield _without(text, line), f"from {line.module} import {', '.join(names)}" if names else code


def _without(text: str, line: ImportLine) -> str:
    """The text without a statement, and without a blank line if the statement was its own group."""
    end = line.end
    if text[: line.begin].endswith("\n\n") and text[end : end + 1] == "\n":
        rest = text[end:].lstrip("\n")
        if rest.startswith(("import ", "from ")):
            return text[: line.begin] + rest
        return text[: line.begin - 1] + text[end:]
    return text[: line.begin] + text[end:]


def test_imports_that_are_taken_out_of_sorted_files_come_back_to_their_places():
    right = count = 0
    for path in own_files():
        text = path.read_text(encoding="utf-8")
        for without, statement in taken_out(text):
            count += 1
            right += added(without, statement, path=str(path)) == text
    assert count > 2_000 and right > 0.99 * count


def test_a_folder_that_is_no_package_makes_no_name_the_projects_own(tmp_path: Path):
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "shop").mkdir()
    (tmp_path / "numpy.egg-info").mkdir()
    path, text = str(tmp_path / "a.py"), "import os\n\nimport attrs\n\nx = \n"
    assert added(text, "import numpy", path=path) == text.replace("attrs\n", "attrs\nimport numpy\n")
    assert added(text, "import shop", path=path) == text.replace("attrs\n", "attrs\n\nimport shop\n")


def unsorted(folder: str) -> set[str]:
    """The files of a folder whose imports ruff would sort; it does not know the groups of the project's own packages."""
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "I", "--line-length", "120"]
    done = subprocess.run([*ruff, "--output-format", "concise", folder], capture_output=True, text=True, check=False)
    return {Path(line.partition(":")[0]).name for line in done.stdout.splitlines() if "I001" in line}


def test_isort_as_ruff_has_it_finds_nothing_to_sort():
    """Imports are added to files without unsorted ones."""
    rng = random.Random(5)
    statements = [
        *("import zlib", "import ast", "import csv", "from abc import ABC", "from typing import NoReturn"),
        *("from collections import OrderedDict", "from . import zebra", "from .aaa import first", "import heapq as hq"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        paths = {f"f{number}.py": path for number, path in enumerate(rng.sample(own_files(), 150))}
        for name, path in paths.items():
            Path(folder, name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        before = unsorted(folder)
        assert len(before) < 75
        for name, path in paths.items():
            text = path.read_text(encoding="utf-8")
            for one in rng.sample(statements, 2):
                name = one.split()[-1]  # nobody imports an existing name
                text = (
                    text
                    if re.search(rf"^(?:import|from) .*\b{name}\b", text, re.M)
                    else added(text, one, path=str(path))
                )
            Path(folder, name).write_text(text, encoding="utf-8")
        wrong = unsorted(folder) - before
        assert not wrong, [str(paths[name]) for name in wrong]


# -- Python: the possible imports


def test_what_is_usual_can_be_imported():
    found = PYTHON.importable(ImportRequest("", version="3.11"))
    assert found["json"] == "import json" and found["Path"] == "from pathlib import Path"
    assert found["dataclass"] == "from dataclasses import dataclass" and found["Self"] == "from typing import Self"
    assert "Self" not in PYTHON.importable(ImportRequest("", version="3.10"))
    assert (
        "imp" not in PYTHON.importable(ImportRequest("", version="3.12"))
        and "np" not in found
        and "urllib" not in found
    )


def test_names_of_a_module_that_is_imported_as_a_whole_are_not_imported():
    found = PYTHON.importable(ImportRequest("import typing\nimport datetime as dt\n", version="3.11"))
    assert "Any" not in found and "timedelta" not in found and "Path" in found


def test_what_the_project_imports_and_defines_can_be_imported(tmp_path):
    (tmp_path / "pyproject.toml").touch()
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "orders.py").write_text(
        "import numpy as np\nfrom path import Path\n\n\nclass Order:\n    pass\n\n\ndef _own(): ...\n"
    )
    (package / "bills.py").write_text("from .orders import Order\n\n\nclass Bill:\n    pass\n")
    asked = ImportRequest(
        "", str(package / "new.py"), "3.11", imports=imports_for("python", "3.11", package / "new.py")
    )
    found = PYTHON.importable(asked)
    assert found["np"] == "import numpy as np" and found["Path"] == "from path import Path"
    assert found["Order"] == "from .orders import Order" and found["Bill"] == "from .bills import Bill"
    assert "_own" not in found
    (package / "bills.py").write_text("from shop.orders import Order\n\n\nclass Bill:\n    pass\n")
    found = PYTHON.importable(asked)
    assert found["Order"] == "from shop.orders import Order" and found["Bill"] == "from shop.bills import Bill"


# -- holes


def first_uses(rng: random.Random, count: int) -> Iterator[tuple[str, str, str]]:
    """(a file up to the first use of a name whose import is missing, the rest of that line, the import), from real files."""
    files = [path for path in own_files() if "tests" not in path.parts]
    found = 0
    while found < count:
        text = rng.choice(files).read_text(encoding="utf-8")
        lines = [line for line in read_top(text, len(text)).lines if line.is_from == (len(line.members) == 1)]
        names = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
        starts = [0]
        for one in text.splitlines(keepends=True):
            starts.append(starts[-1] + len(one))
        for line in lines:
            statement = text[line.begin : line.end].partition("#")[0].strip()
            here = line.members[0].here if line.is_from else statement.split()[-1]
            used = [starts[one.lineno - 1] + one.col_offset for one in names if one.id == here]
            if used and text.isascii() and min(used) > line.end and "." not in here and "," not in statement:
                at = min(used)
                yield text[: line.begin] + text[line.end : at], text[at : text.find("\n", at)], statement
                found += 1
                break


def test_a_hole_with_an_import_takes_what_the_compiler_and_pyflakes_take():
    """A hole takes the rest of a line with the import, and no name that stays undefined; like the hole of the document with the import."""
    rng = random.Random(11)
    session, other = language("python", "3.11").session(), language("python", "3.11").session()
    session.level = other.level = "names"
    taken = 0
    for left, line, statement in first_uses(rng, 40):
        session.inserted = PYTHON.insertions(left, len(left), statement, ImportRequest(left))
        hole = session.hole(left, len(left))
        whole = inserted(left, session.inserted)
        beside = other.hole(whole, len(whole))
        assert hole.viable == beside.viable and len(whole) == len(left) + length_of(session.inserted)
        if not hole.viable or hole.state is None or beside.state is None:
            continue
        for text in (line, line[: len(line) // 2], "undefined_name_" + line, line.replace("(", "(another_", 1)):
            here, there = hole.state.advance(text), beside.state.advance(text)
            assert (here is None) == (there is None), (statement, text)
            if here is not None and there is not None:
                assert here.complete == there.complete, (statement, text)
                if here.complete and text == line:
                    taken += 1
                    tree = ast.parse(whole + text + "\n")
                    name = statement.split()[-1]
                    undefined = [one for one in Checker(tree).messages if isinstance(one, UndefinedName)]
                    assert name not in {one.message_args[0] for one in undefined}
        session.inserted = ()
        plain = session.hole(left, len(left))
        after = plain.state.advance(line) if plain.state is not None else None
        assert after is None or not after.complete, (statement, line)
    assert taken > 8


def test_attributes_of_what_is_inserted_are_known():
    session = language("python", "3.11").session()
    session.level, session.imports = "names", imports_for("python", "3.11", None, at_once=True)
    left = "def load(text):\n    return "
    session.inserted = (Insertion(0, "import json\n\n\n"),)
    state = session.hole(left + "\n", len(left)).state
    assert state is not None and state.advance("json.lodas") is None
    after = state.advance("json.loads(text)")
    assert after is not None and after.complete
    session.inserted = ()
    state = session.hole(left + "\n", len(left)).state
    assert state is not None and state.advance("json.loads") is None


# -- Go

FUNC = "\nfunc f() {\n\t\n}\n"


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ("package a\n" + FUNC, "os", 'package a\n\nimport "os"\n' + FUNC),
        ('package a\n\nimport "fmt"\n' + FUNC, "os", 'package a\n\nimport (\n\t"fmt"\n\t"os"\n)\n' + FUNC),
        ('package a\n\nimport "fmt"\n' + FUNC, "bytes", 'package a\n\nimport (\n\t"bytes"\n\t"fmt"\n)\n' + FUNC),
        ('package a\n\nimport (\n\t"fmt"\n\n\t"x.org/y"\n)\n' + FUNC, "os", 'package a\n\nimport (\n\t"fmt"\n\t"os"\n\n\t"x.org/y"\n)\n' + FUNC),
        ('package a\n\nimport (\n\t"fmt"\n\n\t"x.org/y"\n)\n' + FUNC, "x.org/a", 'package a\n\nimport (\n\t"fmt"\n\n\t"x.org/a"\n\t"x.org/y"\n)\n' + FUNC),
        ('package a\n\nimport (\n\t"fmt"\n)\n' + FUNC, "x.org/a", 'package a\n\nimport (\n\t"fmt"\n\n\t"x.org/a"\n)\n' + FUNC),
        ('package a\n\nimport (\n\t"x.org/y"\n)\n' + FUNC, "os", 'package a\n\nimport (\n\t"os"\n\n\t"x.org/y"\n)\n' + FUNC),
        ('package a\n\nimport "C"\n' + FUNC, "os", 'package a\n\nimport "C"\n\nimport "os"\n' + FUNC),
    ],
)  # fmt: skip
def test_an_import_of_go_goes_where_the_order_puts_it(before, path, after):
    assert added(before, f'import "{path}"', "go", before.rindex("\t")) == after


@pytest.mark.skipif(goroot() is None, reason="Go's tools come with the group `go`")
def test_gofmt_changes_nothing_and_imports_come_back_to_their_places():
    right = count = 0
    made: list[str] = []
    for text in library_sources(random.Random(1), 120, 30_000):
        top = read_top_of_go(text)
        for one in top.declarations if top is not None else ():
            if not one.grouped or len(one.specifications) < 2 or '"C"' in text:
                continue
            for each in one.specifications:
                end = text.find("\n", each.end) + 1
                around = text[: each.begin].endswith(("\n\n", "(\n")), text[end:].startswith(("\n", ")"))
                if not each.alone or text[each.end : end].strip() or all(around):
                    continue
                found = added(text[: each.begin] + text[end:], "import " + text[each.begin : each.end].strip(), "go")
                made.append(found)
                count += 1
                right += found == text
    root = goroot()
    assert root is not None
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(made):
            Path(folder, f"{number}.go").write_text(text, encoding="utf-8")
        done = subprocess.run([root / "bin" / "gofmt", "-l", folder], capture_output=True, text=True, check=False)
    assert count > 150 and right >= 0.98 * count, (right, count)
    assert not done.stderr and len(done.stdout.split()) <= 0.01 * count, done.stdout


def test_packages_of_the_library_and_of_the_files_beside_can_be_imported(tmp_path):
    (tmp_path / "b.go").write_text(
        'package a\n\nimport (\n\t"fmt"\n\n\tlog "x.org/logging"\n\t"x.org/go-yaml"\n)\n\nvar _ = yaml.X\n'
    )
    found = GO.importable(ImportRequest("", str(tmp_path / "a.go")))
    assert found["json"] == 'import "encoding/json"' and found["rand"] == 'import "math/rand"'
    assert found["log"] == 'import log "x.org/logging"' and found["yaml"] == 'import "x.org/go-yaml"'


def test_a_hole_of_go_takes_a_package_with_its_import(tmp_path):
    text = 'package a\n\nimport "fmt"\n\nfunc f(s string) {\n\tfmt.Println()\n}\n'
    offset = text.index(")\n}")
    session = language("go").session()
    session.level, session.elsewhere = "names", frozenset()
    state = session.hole(text, offset).state
    assert state is not None and state.advance("strings.T") is None
    session.inserted = GO.insertions(text, offset, 'import "strings"', ImportRequest(text))
    state = session.hole(text, offset).state
    assert state is not None
    after = state.advance("strings.ToUpper(s)")
    assert after is not None and after.complete and state.advance("bytes.T") is None
