"""The shape of the project: the files shipped, the imports, and the server's safety from a workspace's modules."""

import ast
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from suture.parser.languages.registry import FOLDERS

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("common", "lsp_server", "parser", "model", "slua", "training")
OURS = {"suture." + name for name in PACKAGES}

# The only places that may import a library.
# The only places that know LSP types.
LSP = (
    "lsp_server/protocol/abilities.py",
    "lsp_server/protocol/client.py",
    "lsp_server/protocol/pygls_fixes.py",
    "lsp_server/handlers/",
)
# The parts of the extra of that name: nothing else may need it.
TORCH = (
    "model/runtime/factory.py",
    "model/runtime/torch_runtime.py",
    "model/runtime/transformers_runtime.py",
    "model/runtime/static_runtime.py",
    "model/loading/checkpoint.py",
    "model/loading/hardware.py",
    "model/loading/memory.py",
    "model/decoding/logits_processor.py",
)
AT_HOME = {
    "lsprotocol": (*LSP, "lsp_server/protocol/lazy_types.py"),
    "pygls": ("lsp_server/protocol/",),
    "uvicorn": ("lsp_server/protocol/http.py",),
    "websockets": ("lsp_server/protocol/websocket.py",),
    "torch": (*TORCH, "training/"),
    "transformers": (*TORCH, "training/"),
    "tokenizers": ("model/", "training/"),
    "safetensors": ("model/", "parser/token_masks/store.py", "training/"),
    "filelock": ("parser/token_masks/store.py", "model/loading/hub.py"),
    "lark": ("parser/",),
    "tree_sitter": ("parser/checked/",),
    "interegular": ("parser/",),
    "lupa": ("slua/",),
    # Other people's tables and models are read as data, never run.
    "pickle": (),
    "marshal": ("parser/grammar/cache.py",),  # reads only its own files
    "shelve": (),
}
FORBIDDEN = {
    "common": OURS - {"suture.common"},
    "parser": OURS - {"suture.common", "suture.parser"},
    "model": OURS - {"suture.common", "suture.model"},
    "slua": {"suture.lsp_server", "suture.training"},
    "training": OURS - {"suture.common", "suture.model", "suture.training"},
}


def shipped_files() -> list[Path]:
    """Every file of the wheel, relative to the root."""
    files = [path.relative_to(ROOT) for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file()]
    return sorted(path for path in files if "__pycache__" not in path.parts)


def imports(path: Path) -> Iterator[str]:
    """The modules imported anywhere in a file, relative names resolved to suture.*."""
    package = ("suture", *path.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) + "." if node.level else ""
            yield from (f"{base}{node.module or alias.name}" for alias in node.names)


def below(module: str, parents: set[str]) -> bool:
    return any(module == parent or module.startswith(parent + ".") for parent in parents)


MODULES = [str(path) for path in shipped_files() if path.suffix == ".py"]


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_in_the_permitted_directions(module):
    path = ROOT / module
    source = path.read_text()
    for name in imports(path):
        root = name.partition(".")[0]
        assert not below(name, FORBIDDEN.get(Path(module).parts[0], set())), f"{module} imports {name}"
        assert root not in PACKAGES, f"{module} imports {name}; say from ..{name} import"
        if root in AT_HOME:
            assert module.startswith(AT_HOME[root]), f"{module} imports {name}"
    assert "import suture." not in source and "from suture." not in source, "imports inside the tree are relative"


# The modules that may see pygls' server object: its maker, and the one registering handlers.
SEES_THE_SERVER = {"lsp_server/handlers/dispatch.py", "lsp_server/server.py"}
LSP_BEHIND = [
    name for name in MODULES if name.startswith("lsp_server/") and not name.startswith("lsp_server/protocol/")
]


def test_tests_import_no_private_names():
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and "suture" in (node.module or ""):
                assert not [alias.name for alias in node.names if alias.name.startswith("_")], path


@pytest.mark.parametrize("module", LSP_BEHIND)
def test_handlers_and_sessions_do_not_see_the_server_object(module):
    names = {
        alias.name
        for node in ast.walk(ast.parse((ROOT / module).read_bytes()))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    if module not in SEES_THE_SERVER:
        assert not names & {"SutureServer", "QuietLanguageServer", "LanguageServer"}, names


@pytest.mark.parametrize("module", LSP_BEHIND)
def test_only_the_protocol_touches_private_attributes_of_others(module):
    """Those of pygls above all: outside `protocol/`, a private attribute is used only where it is defined."""
    own = _defined(module)
    for node in ast.walk(ast.parse((ROOT / module).read_bytes())):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            # An object may use its own, and those of a base class, except for the one class based on one of pygls.
            free = {"os", "sys"} if module == "lsp_server/server.py" else {"os", "sys", "self"}
            is_free = isinstance(node.value, ast.Name) and node.value.id in free
            assert is_free or node.attr in own, f"{module}:{node.lineno}: {node.attr}"


def _defined(module: str) -> set[str]:
    """The names defined or assigned by a module: functions, classes, attributes of `self`, fields."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / module).read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            found |= {node.attr} if node.value.id == "self" else set()
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def test_the_check_of_imports_resolves_relative_names(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    source = tmp_path / "parser" / "python" / "lexer.py"
    source.parent.mkdir(parents=True)
    source.write_text("from ...model import load\nfrom .. import blocks\nfrom .x import y\nimport torch.nn\n")
    found = ["suture.model", "suture.parser.blocks", "suture.parser.python.x", "torch.nn"]
    assert list(imports(source)) == found


def test_modules_import_each_other_in_no_circle():
    """Imports for a type checker alone count, too."""
    modules = {"suture." + ".".join(_module_path(Path(name))): Path(name) for name in MODULES}
    graph = {module: _imported_modules(path, modules) - {module} for module, path in modules.items()}
    graph["suture.parser.languages.registry"] |= {f"suture.parser.languages.{folder}.language" for folder in FOLDERS}
    assert circles(graph) == []


def test_circles_of_imports_are_seen():
    graph = {"a": {"b", "x"}, "b": {"c"}, "c": {"a"}, "x": {"y"}, "y": set[str]()}
    assert circles(graph) == [{"a", "b", "c"}]
    assert circles({"a": {"b"}, "b": set()}) == []


def circles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """The sets of modules reaching each other."""
    rest = dict(graph)
    while leaves := {module for module, imported in rest.items() if not imported & rest.keys()}:
        for module in leaves:
            del rest[module]
    reach = {module: reached(rest, module) for module in rest}
    members = {module: frozenset(one for one in reach[module] if module in reach[one]) for module in rest}
    return [set(circle) for circle in sorted(set(members.values()) - {frozenset()}, key=sorted)]


def _module_path(path: Path) -> tuple[str, ...]:
    parts = path.with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def _imported_modules(path: Path, modules: Mapping[str, Path]) -> set[str]:
    """The modules imported anywhere in a module's file."""
    package = ("suture", *path.parent.parts)
    found: set[str] = set()
    todo: list[ast.AST] = [ast.parse((ROOT / path).read_bytes())]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.ImportFrom) and node.level:
            base = ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])
            for alias in node.names:
                found.add(f"{base}.{alias.name}" if f"{base}.{alias.name}" in modules else base)
        todo.extend(ast.iter_child_nodes(node))
    return found & modules.keys()


def reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """The modules reachable from a module by one import or more, among the remaining ones."""
    found: set[str] = set()
    todo = list(graph[start])
    while todo:
        module = todo.pop()
        if module in graph and module not in found:
            found.add(module)
            todo.extend(graph[module])
    return found


def test_no_modules_import_each_other_in_a_circle():
    """Nor within functions, or for annotations alone."""
    paths = [path for name in (*PACKAGES, "benchmarks") for path in (ROOT / name).rglob("*.py")]
    modules = {path: path.relative_to(ROOT).with_suffix("").parts for path in paths}
    modules = {path: parts[:-1] if parts[-1] == "__init__" else parts for path, parts in modules.items()}
    known, graph = set(modules.values()), dict[tuple[str, ...], set[tuple[str, ...]]]()
    for path, module in modules.items():
        folder = path.relative_to(ROOT).parent.parts
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom):
                base = folder[: len(folder) - node.level + 1] if node.level else ()
                base += tuple(filter(None, (node.module or "").removeprefix("suture.").split(".")))
                named = ((*base, alias.name) for alias in node.names)
                graph.setdefault(module, set()).update({name if name in known else base for name in named} - {module})
    TopologicalSorter(graph).prepare()  # or raises CycleError


LONGEST_MODULE, LONGEST_FUNCTION = 500, 60
# Longer modules, and their limits until somebody splits them; generated tables are data files.
LONG_MODULES = {
    "model/decoding/constrained.py": 660,
    "parser/glr/unknown_gss.py": 700,
}
LONG_FUNCTIONS = {
    ("model/decoding/constrained.py", "_generate"): 80,
    ("parser/completability/prestar.py", "_fixpoint"): 72,
    ("parser/completability/weighted_prestar.py", "_solve"): 82,
    ("parser/glr/suffix.py", "block"): 100,
    ("parser/glr/unknown_gss.py", "_as_is"): 75,
    ("training/command.py", "run"): 88,
    ("training/editing_places.py", "_by_tokens"): 67,
    ("training/export.py", "model_card"): 67,
}


def test_modules_and_functions_are_short():
    """The exceptions only become fewer: a module that has become short leaves the list."""
    lengths = {module: (ROOT / module).read_text(encoding="utf-8").count("\n") for module in MODULES}
    functions = {
        (module, node.name): (node.end_lineno or node.lineno) - node.lineno + 1
        for module in MODULES
        for node in ast.walk(ast.parse((ROOT / module).read_bytes()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: size for name, size in lengths.items() if size > LONG_MODULES.get(name, LONGEST_MODULE)} == {}
    assert {name: size for name, size in functions.items() if size > LONG_FUNCTIONS.get(name, LONGEST_FUNCTION)} == {}
    assert {name for name in LONG_MODULES if lengths.get(name, 0) <= LONGEST_MODULE} == set()
    assert {name for name in LONG_FUNCTIONS if functions.get(name, 0) <= LONGEST_FUNCTION} == set()


def test_the_namespace_has_no_init():
    assert not (ROOT / "__init__.py").exists()


def tree_to_build(tmp_path: Path) -> Path:
    """A copy of the shipped files, without the weights."""
    tree = tmp_path / "tree"
    for path in shipped_files():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        # The weights would only cost time to compress.
        if path.stat().st_size > 1_000_000:
            (tree / path).write_bytes(b"large")
        else:
            shutil.copy(ROOT / path, tree / path)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    return tree


def test_an_editable_install_finds_every_package(tmp_path):
    """Without pip's configuration: as made by the backend."""
    tree = tree_to_build(tmp_path)
    code = "import sys; from setuptools.build_meta import build_editable; build_editable(sys.argv[1])"
    command = [sys.executable, "-I", "-c", code, str(tmp_path)]
    built = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr + built.stdout
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        (finder,) = (name for name in files.namelist() if name.endswith("_finder.py"))
        (mapping,) = re.findall(r"^MAPPING: .* = (.*)$", files.read(finder).decode(), re.MULTILINE)
    assert ast.literal_eval(mapping) == {f"suture.{name}": str(tree / name) for name in PACKAGES}


def test_the_wheel_holds_every_file_of_the_tree(tmp_path):
    tree = tree_to_build(tmp_path)
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path / "dist"), str(tree)]
    if setuptools_version() >= 80:
        command.append("--no-isolation")  # nothing need be fetched
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr + built.stdout
    (wheel,) = (tmp_path / "dist").iterdir()
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == {f"suture/{path.as_posix()}" for path in shipped_files()}


def setuptools_version() -> int:
    try:
        return int(version("setuptools").partition(".")[0])
    except PackageNotFoundError:
        return 0


def console_script() -> str:
    name = "suture.exe" if sys.platform == "win32" else "suture"
    return str(Path(sysconfig.get_path("scripts")) / name)


@pytest.mark.parametrize(
    "command",
    [
        [console_script(), "serve"],
        [console_script(), "serve", "--stdio"],
        [sys.executable, "-I", "-m", "suture.lsp_server"],
    ],
    ids=["script", "script --stdio", "module"],
)
def test_the_server_starts_where_files_have_our_names(tmp_path, command):
    for name in ("parser.py", "types.py", "lsp_server.py", "logging.py", "model/__init__.py", "tests/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise SystemExit('the workspace shadows the server')\n")
    messages = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    sent = "".join(f"Content-Length: {len(body)}\r\n\r\n{body}" for body in bodies).encode()
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as served:
        assert served.stdin is not None and served.stdout is not None and served.stderr is not None
        served.stdin.write(sent)
        served.stdin.flush()  # open until it has answered: at the end of its input a server does not wait for long
        answers = served.stdout.read()
        assert served.wait() == 0, served.stderr.read().decode()
    first, second = [json.loads(part[part.index(b"{") :]) for part in answers.split(b"Content-Length")[1:]]
    assert first["result"]["serverInfo"]["name"] == "suture"
    assert first["result"]["capabilities"]["inlineCompletionProvider"] == {}
    assert second == {"jsonrpc": "2.0", "id": 2, "result": None}


def test_the_reader_of_messages_imports_next_to_nothing():
    """It runs for the whole session beside the answering process, and an editor waits for it first."""
    code = """if True:
        import sys
        from suture.lsp_server.cli.main import main
        import suture.lsp_server.isolation.serving
        large = {"asyncio", "pygls", "lsprotocol", "lark", "numpy", "torch", "logging", "ssl", "http.client", "urllib.request"}
        print(sorted(large & set(sys.modules)))
    """
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert ran.stdout.splitlines()[-1] == "[]", ran.stdout + ran.stderr


def test_what_the_first_suggestion_does_not_need_is_not_imported():
    """The answering process spends most of the time until then on imports."""
    code = """if True:
        import sys
        import suture.lsp_server.isolation.answering
        from suture.lsp_server.completion.engine.cursor_context import CursorContext
        from suture.lsp_server.completion.engine.pipeline import CompletionEngine
        from suture.lsp_server.settings.spec import Settings
        text = "def area(width, height):\\n    return width * "
        place = CursorContext("file:///typed.py", "python", text + "\\n", len(text))
        assert CompletionEngine(Settings()).alternatives(place, 1, lambda: False)
        large = {"torch", "transformers", "urllib.request", "httpx2", "websockets", "tomlkit", "filelock", "xllamacpp", "packaging"}
        scripts = {name for name in sys.modules if name.startswith("suture.parser.languages.slua.")}
        print(sorted(large & set(sys.modules)), sorted(scripts))
    """
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert ran.stdout.splitlines()[-1] == "[] []", ran.stdout + ran.stderr


def test_the_process_that_answers_is_started_before_the_rest_is_imported():
    """It takes longest to be ready."""
    code = """if True:
        import os, sys
        from suture.lsp_server.isolation import process
        class Started(BaseException): pass
        def start(command):
            print(sorted({"suture.lsp_server.isolation.relay", "suture.lsp_server.isolation.journal"} & set(sys.modules)))
            raise Started
        process.ServerProcess = start
        sys.argv = ["suture", "serve"]
        import runpy
        try:
            runpy.run_module("suture.lsp_server", run_name="__main__")
        except Started:
            pass
    """
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, input="")
    assert ran.stdout.splitlines() == ["[]"], ran.stdout + ran.stderr


def test_the_process_that_answers_collects_nothing_for_its_imports():
    """Imported modules stay, and collecting them again and again takes a tenth of the start."""
    code = """if True:
        import gc, os, runpy, sys
        gc.callbacks.append(lambda phase, info: len(gc.get_objects()) > 10_000 and os.write(2, b"collects\\n"))
        sys.argv = ["suture", "answer"]
        runpy.run_module("suture.lsp_server", run_name="__main__")
    """
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, input="")
    assert ran.stderr.splitlines() == []


def test_the_command_line_imports_nothing_slow():
    code = """if True:
        import sys
        from suture.lsp_server.cli.main import main
        try:
            main(["--help"])
        except SystemExit:
            pass
        print(sorted({"torch", "transformers", "pygls", "lsprotocol", "lark", "numpy"} & set(sys.modules)))
    """
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert ran.stdout.splitlines()[-1] == "[]", ran.stdout + ran.stderr
