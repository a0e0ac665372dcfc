"""Counts the imports of the standard library's names in other people's code, and finds the Python versions of each.

    python scripts/usual_imports.py CORPUS.jsonl PYTHON...  # the oldest first

CORPUS.jsonl is written by `suture.training.corpus`; the given interpreters report the existing names. A package counts once per statement.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

TARGET = Path(__file__).parent.parent / "parser/languages/python/usual_imports.json"
_LEAST, _LEAST_OTHERS = 2, 5
"""The fewest packages with a statement; and those for a renaming statement, the only kind counted outside of the standard library."""
_NAMES = """
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
found = []
for module, name in json.load(sys.stdin):
    try:
        has = importlib.import_module(module)
        if not name or hasattr(has, name) or importlib.import_module(module + "." + name):
            found.append([module, name])
    except ImportError:
        pass
print(json.dumps(["%d.%d" % sys.version_info[:2], found]))
"""


def statements(text: str) -> Iterator[tuple[str, str, str]]:
    """(module, name in it or "", local name) of each import."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((one.name, "", one.asname or one.name) for one in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module != "__future__":
            yield from ((node.module or "", one.name, one.asname or one.name) for one in node.names if one.name != "*")


def counted(corpus: Path) -> Counter[tuple[str, str, str]]:
    """The number of packages with each import; held-out ones are not read."""
    found: dict[tuple[str, str, str], set[str]] = {}
    with corpus.open(encoding="utf-8") as lines:
        for line in lines:
            file = json.loads(line)
            try:
                imports = set() if file["held_out"] else set(statements(file["text"]))
            except (SyntaxError, ValueError, RecursionError):
                continue
            for one in imports:
                found.setdefault(one, set()).add(file["package"])
    return Counter({one: len(packages) for one, packages in found.items()})


def written(module: str, name: str, here: str) -> str:
    """The statement of an import."""
    behind = f" as {here}" if here != (name or module) else ""
    return f"from {module} import {name}{behind}" if name else f"import {module}{behind}"


def _limits(known: list[str], run: list[str]) -> list[str]:
    """The first and the last version with a name, where they differ from the interpreters' range."""
    until = [known[-1]] if known[-1] != run[-1] else []
    return [known[0], *until] if until or known[0] != run[0] else []


def main() -> int:
    """Write the file."""
    warnings.simplefilter("ignore")
    counts = counted(Path(sys.argv[1]))
    inner = Counter[str]()
    for (module, name, _), count in counts.items():
        if not name and "." in module:
            inner[module.partition(".")[0]] += count
    library = {one: count for one, count in counts.items() if one[0].partition(".")[0] in sys.stdlib_module_names}
    asked = json.dumps(sorted({one[:2] for one, count in library.items() if count >= _LEAST}))
    run: list[str] = []
    versions: dict[tuple[str, str], list[str]] = {}
    for python in sys.argv[2:]:
        command = [python, "-I", "-c", _NAMES]
        said = subprocess.run(command, input=asked, capture_output=True, check=True, text=True).stdout
        version, names = json.loads(said)
        run.append(version)
        for module, name in names:
            versions.setdefault((module, name), []).append(version)
    table: dict[str, list[int | str]] = {}
    for (module, name, here), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        known = versions.get((module, name), [])
        if len(here) < 2 or here.startswith("_") or "." in here:
            continue
        renamed = here != (name or module)
        if count < (_LEAST_OTHERS if renamed else _LEAST):
            continue
        if (module, name, here) not in library:
            if renamed and not name:
                table[written(module, name, here)] = [count]
        # Some packages are imported for their modules, which `import urllib` alone does not load.
        elif known and (name or renamed or count > inner[module]):
            table[written(module, name, here)] = [count, *_limits(known, run)]
    lines = [f"{json.dumps(statement)}: {json.dumps(says)}" for statement, says in table.items()]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(table)} imports")
    return 0


if __name__ == "__main__":
    sys.exit(main())
