"""The protocol's types as imported by the answering process: the same classes, each completed at its first use."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest

IMPORT = """
import json, sys, threading
if sys.argv[1] == "lazy":
    from suture.lsp_server.protocol.lazy_types import import_types
    import_types()
import attrs
from lsprotocol import types
from pygls.protocol import default_converter

converter = default_converter()
classes = {name: value for name, value in vars(types).items() if isinstance(value, type) and issubclass(value, object)}
def finished():
    return sorted(name for name, value in classes.items() if isinstance(vars(value).get("__attrs_attrs__"), tuple))
"""
FIELDS = """
def told(value):
    return {f.name: [repr(f.type), repr(f.default), repr(f.validator), f.init, f.eq] for f in attrs.fields(value)}
print(json.dumps({name: told(value) for name, value in classes.items() if attrs.has(value)}))
"""
USED = """
before = len(finished())
given = {
    "capabilities": {"textDocument": {"synchronization": {"didSave": True}, "completion": {"contextSupport": True}}},
    "processId": 1, "rootUri": "file:///a", "workspaceFolders": [{"uri": "file:///a", "name": "a"}],
}
params = converter.structure(given, types.InitializeParams)
place = types.Position(1, 2)
spans = [types.Range(start=types.Position(line, 0), end=types.Position(line, 5)) for line in (1, 2, 1)]
try:
    types.Position("1")
    refused = False
except (TypeError, ValueError):
    refused = True
print(json.dumps([
    repr(params), converter.unstructure(params), repr(spans[0]), spans[0] == spans[1], spans[0] == spans[2],
    place < types.Position(1, 3), repr(attrs.evolve(place, line=7)), attrs.asdict(spans[0]), refused,
    types.Position.__match_args__, types.Position.__hash__ is None,
]))
print(before, len(finished()))
"""
THREADS = """
names = sorted(classes)
wrong = []
def build(turn):
    start.wait()
    for name in names[turn:] + names[:turn]:
        try:
            attrs.has(classes[name]) and attrs.fields(classes[name])
            assert types.Position(1, 2) == types.Position(line=1, character=2)
            types.TextEdit(types.Range(types.Position(0, 0), types.Position(0, 1)), "x")
        except BaseException as error:
            wrong.append(f"{name}: {error!r}")
start = threading.Barrier(6)
threads = [threading.Thread(target=build, args=(turn * 40,)) for turn in range(6)]
sys.setswitchinterval(1e-6)
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(json.dumps([len(finished()), wrong[:5]]))
"""


def output(program: str, how: str) -> list[Any]:
    """The printed lines of a program that imports the types."""
    command = [sys.executable, "-c", IMPORT + program, how]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_every_class_has_the_same_fields() -> None:
    lazy, usual = (json.loads(re.sub(" at 0x[0-9a-f]+", "", output(FIELDS, how)[0])) for how in ("lazy", "usual"))
    assert len(usual) > 500 and lazy == usual


def test_values_are_the_same_and_few_classes_are_completed() -> None:
    (lazy, counts), (usual, all_of_them) = (output(USED, how) for how in ("lazy", "usual"))
    assert json.loads(lazy) == json.loads(usual)
    before, after = map(int, counts.split())
    assert before < 5 and after < 100 < 500 < int(all_of_them.split()[0])


def test_threads_may_be_the_first_ones_together() -> None:
    assert json.loads(output(THREADS, "lazy")[0]) == json.loads(output(THREADS, "usual")[0])


@pytest.mark.parametrize("first", ["from pygls.protocol import default_converter", "from lsprotocol import types"])
def test_types_that_are_imported_already_stay_as_they_are(first: str) -> None:
    program = f"{first}\nfrom suture.lsp_server.protocol.lazy_types import import_types\nimport_types()\n"
    program += (
        "import attrs\nfrom lsprotocol import types\nprint(types.Position(1, 2), hasattr(types.Position, '__slots__'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1:2 True\n"
