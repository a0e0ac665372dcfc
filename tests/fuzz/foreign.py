"""Foreign bytes for every reader of them, each with a budget of time and memory: `python -m tests.fuzz.foreign --minutes 10 --seed 1`.

Bytes from a file, a workspace or a peer must be read, or refused, in bounded time and memory. A target makes bytes as an attacker would (one
piece many times over, deep nesting, mutated samples, plain noise) and passes them to a reader; a reader beyond its budget of time or memory
is a failure, and so is an exception its callers do not expect. Failures are added to .fuzz/foreign/; the current input is kept there, too, in
case a reader never returns.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from suture.common.mapped import mapped
from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.proposing.candidates import candidates
from suture.lsp_server.completion.proposing.candidates.kinds import KINDS
from suture.lsp_server.context.cross_file import CrossFileContext, OtherFile
from suture.lsp_server.context.gitignore import rules_in
from suture.lsp_server.context.globs import any_matches
from suture.lsp_server.protocol.framing import FramingError, MessageDecoder
from suture.lsp_server.protocol.jsonrpc import parse
from suture.lsp_server.session.documents import Change, Document
from suture.lsp_server.settings.sources import workspace_layer
from suture.lsp_server.settings.spec import read_layer
from suture.model.name_lm.words import read_words
from suture.parser import Cancelled, GrammarError, Level, imports_for, language, load_language, names_elsewhere
from suture.parser.languages.go.workspace import version_for as go_version_for
from suture.parser.languages.python.workspace import version_for
from suture.parser.scoping.facts import Call, Facts

FOUND = Path(".fuzz") / "foreign"
HANG_S = 120.0
"""The time after which a reader counts as hung: the place is printed, and the process ends."""
_SIZES = (50, 2_000, 60_000)


@dataclass(frozen=True)
class Target:
    """A reader of foreign bytes."""

    name: str
    make: Callable[[Random, int], bytes]
    """Makes an input of about that many bytes."""
    read: Callable[[bytes, Path], object]
    """Reads it; may use an empty folder."""
    budget_s: float = 2.0
    """Processor time of the thread."""
    budget_mb: float = 400.0
    """Growth of the process."""
    sizes: tuple[int, ...] = _SIZES


@dataclass(frozen=True)
class Failure:
    """An input beyond a reader's budget."""

    target: str
    why: str
    data: bytes


def pieces_of(samples: tuple[str, ...], *pieces: str) -> Callable[[Random, int], bytes]:
    """A maker of inputs from texts of the format, and from its meaningful pieces."""

    def make(rng: Random, size: int) -> bytes:
        kind = rng.randrange(6)
        if kind == 0:
            piece = rng.choice(pieces)
            text = piece * (size // len(piece) + 1) + rng.choice((*pieces, ""))
        elif kind == 1:
            piece, end = rng.choice(pieces), rng.choice(pieces)
            text = piece * (size // 2 // len(piece) + 1) + end * (size // 2 // len(end) + 1)
        elif kind == 2:
            text = "".join(rng.choice(pieces) for _ in range(size // 8 + 1))
        elif kind == 3:
            return rng.randbytes(min(size, 20_000))
        else:
            text = rng.choice(samples)
            for _ in range(rng.randrange(1, 4)):
                at, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
                part = rng.choice((text[at:end], rng.choice(pieces), " ", ""))
                text = text[:at] + part * max(1, min(size // (len(part) + 1), size)) + text[at:]
                text = text[: size + 1000]
        return text.encode("utf-8", "surrogatepass")

    return make


def _decode(data: bytes, folder: Path) -> None:
    for lenient in (False, True):
        decoder = MessageDecoder(lenient)
        try:
            for at in range(0, len(data), 1000):
                for found in decoder.feed(data[at : at + 1000]):
                    if isinstance(found, bytes):
                        parse(found)
        except FramingError:
            pass


def _toml(data: bytes, folder: Path) -> None:
    (folder / "pyproject.toml").write_bytes(data)
    workspace_layer(folder, trusted=True)
    version_for(folder / "a.py")


def _specifier(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "replace")
    (folder / "setup.cfg").write_bytes(b"[options]\npython_requires = " + data)
    (folder / ".python-version").write_bytes(data)
    (folder / "setup.py").write_text(f"setup(python_requires={text!r})", encoding="utf-8", errors="surrogatepass")
    version_for(folder / "a.py")
    (folder / "pyproject.toml").write_text(f"[project]\nrequires-python = {json.dumps(text)}\n", encoding="utf-8")
    version_for(folder / "a.py")


def _glob(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "replace")
    for rule in rules_in(text):
        str(rule)
    patterns = tuple(text.splitlines()[:100])
    for path in ("a/b/c.py", "a" * 200 + ".py", "/".join("a" * 60)):
        any_matches(patterns, path, None)


def _other_file(data: bytes, folder: Path) -> None:
    (folder / "other.py").write_bytes(data)
    text = "from other import thing\n" + data.decode("utf-8", "replace")
    CrossFileContext().pieces(str(folder / "a.py"), text, len(text), ())


_grammars = 0


def _grammar(data: bytes, folder: Path) -> None:
    global _grammars
    _grammars += 1
    path = folder / "fuzzed.lark"
    path.write_bytes(data)
    try:
        load_language(f"fuzzed-{_grammars}", path, "start", ())
        language(f"fuzzed-{_grammars}").hole("a", "b")
    except (GrammarError, Cancelled):
        pass


def _document(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "replace")
    document = Document("file:///a", "python", 1, text)
    size = len(text)
    document.apply(Change("x\r\n", ((0, size), (size, 0))))
    document.offset_at((size, size))
    _hole("python", text)
    _hole("json", text)
    _hole("go", text)


def _hole(name: str, text: str, level: Level = "syntax") -> None:
    """Read with an early cancellation, as for an impatient person: reading has to poll often enough."""
    until = time.thread_time() + 0.3
    try:
        session = language(name).session()
        hole = session.hole(text, len(text) // 2, lambda: time.thread_time() > until, level=level)
        if level == "names" and hole.state is not None:
            after = hole.state.advance("x")
            assert after is None or after.complete in (True, False)
    except Cancelled:
        pass


def _names(name: str) -> Callable[[bytes, Path], None]:
    return lambda data, folder: _hole(name, data.decode("utf-8", "replace"), "names")


def _module(data: bytes, folder: Path) -> None:
    """Read a module as imported by another file."""
    from suture.parser.languages.python.semantics.modules import Modules

    (folder / "other.py").write_bytes(data)
    Modules([folder], at_once=True).get("other")


def _candidates(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "replace")
    for left in (text, "class A:\n    def f(self, a):\n        " + text.replace("\n", " ")):
        candidates(Cursor.at(left + "\n", len(left)), [text], lambda: _Knowing(), KINDS)


class _Knowing(Facts):
    """Claims the existence of everything, so that generators do their utmost."""

    @property
    def function(self) -> str:
        return "__init__"

    @property
    def parameters(self) -> tuple[str, ...]:
        return "a", "b", "*c", "d=d"

    @property
    def receiver(self) -> str:
        return "self"

    @property
    def call(self) -> Call:
        return Call("f", ("a", "b="), frozenset("ab"), is_first=True)

    def binds(self, name: str) -> bool:
        return True

    def lacking(self, names: frozenset[str]) -> frozenset[str]:
        return names


def _go_package(data: bytes, folder: Path) -> None:
    (folder / "other.go").write_bytes(data)
    (folder / "go.mod").write_bytes(data)
    names_elsewhere("go", str(folder / "a.go"), data.decode("utf-8", "replace"), {})
    go_version_for(folder / "a.go")


def _mapped(data: bytes, folder: Path) -> None:
    (folder / "x.safetensors").write_bytes(struct.pack("<Q", len(data)) + data + bytes(64))
    try:
        mapped(folder / "x.safetensors", 1 << 30, 1 << 22)
    except (OSError, ValueError):
        pass


def _model_file(name: str) -> Callable[[bytes, Path], None]:
    def read(data: bytes, folder: Path) -> None:
        from suture.model import ModelError
        from suture.model.loading.checkpoint import read_folder

        embedded = Path(sys.modules["suture.model"].__path__[0]) / "embedded"
        for path in embedded.iterdir():
            if path.is_file() and path.name != name:
                (folder / path.name).symlink_to(path)
        (folder / name).write_bytes(data)
        try:
            read_folder(folder)
        except ModelError:
            pass

    return read


def _settings(data: bytes, folder: Path) -> None:
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        given = {"disabledGlobs": data.decode("utf-8", "replace").split(","), data.hex()[:9]: 1}
    read_layer(given, "editor")


def _weights(data: bytes, folder: Path) -> None:
    from suture.model import ModelError
    from suture.model.loading.weights import check_weights

    # The length of the header comes first: the true one, or random bytes.
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(data)) * (data[:1] != b"9") + data + bytes(64))
    try:
        check_weights(folder)
    except ModelError:
        pass


def _gguf(data: bytes, folder: Path) -> None:
    from suture.model import ModelError
    from suture.model.loading.gguf import MAGIC, read_gguf

    (folder / "a.gguf").write_bytes(struct.pack("<4sIQQ", MAGIC, 3, len(data) // 40, len(data) // 30) + data)
    try:
        read_gguf(folder / "a.gguf")
    except ModelError:
        pass


def _gguf_bytes(rng: Random, size: int) -> bytes:
    """Fields and tensors with small, right, or absurd lengths."""
    made = bytearray()
    while len(made) < size:
        length = rng.choice((1, 4, 4, 9, 300, 2**31, 2**63))
        made += struct.pack("<Q", length) + b"tokenizer.ggml.tokens"[: min(length, 21)]
        made += struct.pack("<I", rng.choice((0, 4, 7, 8, 9, 10, 12, 99)))
        made += struct.pack("<IQ", rng.choice((0, 4, 8, 9)), rng.choice((0, 1, 3, 10**6, 2**40)))
    return bytes(made)


def _slua_api(data: bytes, folder: Path) -> None:
    from suture.parser.languages.slua.api import Api, ApiError

    path = folder / "fuzzed.slua-api"
    path.write_bytes(data)
    try:
        Api.load(path)
    except ApiError:
        pass


_LONG_NAMES = {
    "python": (
        "class A:\n    def __init__(self):\n        self.red = self.{0} = 1\n    def f(self):\n        return self.|\n",
        "class A:\n    {0} = 1\n\nA.|\n",
        "import other\n\nother.|\n",
        "from other import |\n",
        "import {0}\n\n{0}.|\n",
        "import os as {0}\n\nx = {0}.|\n",
        "def f({0}=1, b=2):\n    return |\n\nf({0}=1)\n",
        "def {0}(a):\n    return a\n\nx = {0}|\n",
        "x = {0} + |\n",
        "x = |{0}\n",
        "x = f'{{{0}}}' + '{0}|'\n",
    ),
    "json": ('{{"{0}": 1, "b": |}}\n', '{{"{0}|": 1}}\n', '{{"a": {0}|}}\n'),
    "go": (
        "package p\n\nfunc f({0} int) int {{\n\treturn |\n}}\n",
        "package p\n\ntype T struct {{ {0} int }}\n\nfunc f(t T) int {{\n\treturn t.|\n}}\n",
        'package p\n\nimport {0} "fmt"\n\nfunc f() int {{\n\treturn {0}|\n}}\n',
    ),
}
"""Each kind of place that reads a name, in a document with a cursor."""


def _long_name(rng: Random, size: int) -> bytes:
    return (
        "".join(rng.choice(("q", "Q", "_", "é", "漢", "q1", "x_")) for _ in range(max(1, size // 2)))
        .lstrip("1")
        .encode()
    )


def _long_names(data: bytes, folder: Path) -> None:
    """Ask a completion step's questions at a name's place, without the model."""
    from suture.model.decoding.allowed_mass import allowed_share
    from suture.model.decoding.token_step import DecodingState
    from suture.model.prompting.spelling_tree import SpellingTree

    name = data.decode("utf-8", "replace")
    tree = SpellingTree([None, *(bytes((byte,)) for byte in range(256)), b"qq", b"qqqq", b"red"])
    logits = np.full(260, -5.5, np.float32)
    (folder / "other.py").write_text(f"{name} = 1\nb = 2\n", encoding="utf-8")
    (folder / "other.go").write_text(f"package p\n\nvar {name} int\n", encoding="utf-8")
    for language_name, texts in _LONG_NAMES.items():
        path = folder / f"a.{language_name}"
        for text in texts:
            left, right = text.format(name).split("|")
            session = language(language_name).session(path)
            session.imports = imports_for(language_name, None, path, at_once=True)
            session.elsewhere = names_elsewhere(language_name, path, left + right)
            state = session.hole(left + right, len(left), level="names").state
            if state is not None:
                allowed_share(tree, logits, 0.0, DecodingState(state), np.array([0]), state.complete)
            CrossFileContext().pieces(str(folder / "a.py"), left + right, len(left), (OtherFile("b.py", name),))
            read_words(left, right)


_JSON = ('{"a": [1, {"b": null}], "c": "x"}', '{"vocab_size": 100, "hidden_size": 64}')
_JSON_PIECES = (
    "[",
    "]",
    "{",
    "}",
    '{"a":',
    '"',
    "\\",
    ",",
    ":",
    "1e9",
    "9" * 50,
    "null",
    " ",
    "\n",
    "\ud800",
    "-",
    '"a":1,',
)
_PYTHON = ("from a import (b, c)\nx = [1, (2, {'k': f'{y!r}'})]\n\ndef f(a, *, b=1):\n    return a\n",)
_PYTHON_PIECES = (
    *("from", "import", "(", ")", "[", "{", " ", "\n", "\t", "\\\n", "x", "=", ".", ",", "'''", '"', "f'{", "}", "#", "\r", "\x0c"),
    *("    ", "def f():\n", "if x:\n", "0x", "1_", "é", "\ud800", "lambda ", "x = ", "not ", "@", "*", "async "),
)  # fmt: skip
_GO = (
    'package p // a\n\nimport "fmt"\n\ntype T struct{ a int }\n\nfunc (t T) f(x int) int {\n\tfmt.Println(x)\n\treturn t.a\n}\n',
)
_GO_PIECES = (
    *(
        "package p",
        "/",
        "//",
        "/*",
        "*/",
        "\n",
        " ",
        "(",
        ")",
        "{",
        "}",
        "[",
        "`",
        '"',
        "'",
        "func f() {",
        "type T ",
        "struct {",
    ),
    *("var a ", "= ", ":= ", "if x {", "for ", "case ", "go 1.", "x.", ",", "import ", "<-", "func(", "*", "é", "\r"),
)
_SPECIFIERS = (">=3.8,<4", "^3.9", "~=3.10.2", "!=3.11.*", "==3.12")
_GLOBS = ("**/generated/**\n*.min.py\n/build/\n!keep\n[a-z]*?.py",)
_TOML = ('[tool.suture]\nmax_tokens = 3\ndisabled_globs = ["a"]\n[project]\nrequires-python = ">=3.8"\n',)
_WEIGHTS = (
    '{"a": {"dtype": "F32", "shape": [2, 8], "data_offsets": [0, 64]}, "__metadata__": {"format": "pt"}}',
    '9{"a": {"dtype": "BF16", "shape": [32], "data_offsets": [0, 64]}}',
)
_SLUA_API = (
    "record Coord { x: number, y: number }\nclass Actor { mut hp: number, Damage: (amount: number) -> void }\n"
    "global g_me: Actor\nrecord Def { id: string, Do: (user: Actor) -> void }\nscript talent { do locals... New(Def); end }\n",
)
_GRAMMARS = ('start: a+\na: "x" | "(" a ")" | NAME\nNAME: /[a-z]+/\n%ignore " "\n', 'start: start "+" start | "a"\n')

TARGETS = (
    Target(
        "framing",
        pieces_of(
            ("Content-Length: 2\r\n\r\n{}Content-Length: 30\r\n\r\n[]",),
            *("Content-Length: ", "\r\n", "\n", "9", "Content-Length: 5\r\n\r\n", "{}", "Content-Type: x\r\n", "ontent-", ":", " "),
        ),
        _decode,
    ),
    Target("json-rpc", pieces_of(('{"jsonrpc":"2.0","id":1,"method":"x","params":{}}', *_JSON), *_JSON_PIECES), lambda data, folder: parse(data)),
    Target(
        "toml",
        pieces_of(_TOML, "[", "]", "a.", "[a.b]\n", "a = 1\n", "=", '"', "'''", "\\", "#", " ", "\n", "{a=", "}", "1", "_", "[[a]]\n", "x.y.z=1\n"),
        _toml,
        budget_s=4.0,
    ),
    Target("specifiers", pieces_of(_SPECIFIERS, " ", ",", "3", ".", ">=", "<", "~", "^", "!=", "*", "3.8,", "v", "||", "\t", "x", "0"), _specifier),
    Target("globs", pieces_of(_GLOBS, "*", "**", "/", "?", "[", "]", "a", "!", "\\", "**/", "*a", "\n", "[a-", "{a,b}", " "), _glob),
    Target("imports", pieces_of(_PYTHON, *_PYTHON_PIECES, "from x import (", "import a.", "from . import "), _other_file),
    Target("documents", pieces_of((*_PYTHON, *_JSON), *_PYTHON_PIECES, *_JSON_PIECES), _document, budget_s=5.0),
    Target("names in documents", pieces_of(_PYTHON, *_PYTHON_PIECES, "lambda: ", "global x\n", "a.b()", "case ["), _names("python"), budget_s=5.0),
    Target("long names", _long_name, _long_names, budget_s=40.0, budget_mb=200.0, sizes=(60_000, 2_000)),
    Target("names in Go", pieces_of(_GO, *_GO_PIECES), _names("go"), budget_s=5.0),
    Target("modules", pieces_of(_PYTHON, *_PYTHON_PIECES, "lambda: ", "class A(", "a.b()", "self.x = "), _module, budget_s=8.0),
    Target("candidates", pieces_of(_PYTHON, *_PYTHON_PIECES, "self.x: ", "x: ", "super().", "import ", "return "), _candidates),
    Target("go packages", pieces_of(_GO, *_GO_PIECES), _go_package),
    Target("mapped arrays", pieces_of(_WEIGHTS, *_JSON_PIECES, '"shape":[', "9" * 12 + ",", '"data_offsets":[0,'), _mapped),
    Target(
        "grammars",
        pieces_of(_GRAMMARS, "start: ", "a", "|", "(", ")", "*", "+", "?", "~9", "/[a-z]/", "/(a{99}){99}/", '"', "\n", "%import ", "_", "A: ", ".9", "//", "{"),
        _grammar,
        budget_s=10.0,
        sizes=(50, 500, 5_000),
    ),
    Target("settings", pieces_of(('{"maxTokens": 3, "languages": {"toy": "off"}, "disabledGlobs": ["a"]}',), *_JSON_PIECES, '"maxLines":', '"x",'), _settings),
    Target("model.safetensors", pieces_of(_WEIGHTS, *_JSON_PIECES, '"shape":[', "9" * 12 + ",", '"data_offsets":[0,'), _weights, budget_s=4.0),
    Target("gguf", _gguf_bytes, _gguf, budget_s=4.0),
    Target("slua-api", pieces_of(_SLUA_API, "record ", "class ", "global ", "script ", "{", "}", "(", ")", "->", ":", ",", "a", " ", "\n", "mut ", "?", "...", "--", ";", '"'), _slua_api),
    *(
        Target(f"model {name}", pieces_of(samples, *_JSON_PIECES), _model_file(name), budget_s=6.0)
        for name, samples in (
            ("config.json", ('{"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "vocab_size": 9}',)),
            ("tokenizer.json", ('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}, "added_tokens": []}',)),
            ("generation_config.json", ('{"eos_token_id": [1, 2]}',)),
            ("copying.json", ('{"weights": [1, 2]}',)),
        )
    ),
)  # fmt: skip


def attempt(target: Target, data: bytes) -> Failure | None:
    """Let a target read an input; a Failure beyond its budget."""
    with tempfile.TemporaryDirectory(prefix="suture-fuzz-") as folder:
        before_mb, start_s = peak_mb(), time.thread_time()
        try:
            target.read(data, Path(folder))
        except Exception as problem:
            return Failure(target.name, f"{type(problem).__name__} in {_where(problem)}", data)
        took_s, grew_mb = time.thread_time() - start_s, peak_mb() - before_mb
    if took_s > target.budget_s:
        return Failure(target.name, f"took {took_s:.1f} s of processor time", data)
    if grew_mb > target.budget_mb:
        return Failure(target.name, f"grew by {grew_mb:.0f} MB", data)
    return None


def inputs(target: Target, rng: Random, sizes: tuple[int, ...] | None = None) -> Iterator[bytes]:
    """Make inputs endlessly."""
    while True:
        yield target.make(rng, rng.choice(sizes or target.sizes))


def peak_mb() -> float:
    """The peak memory of this process; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


@contextmanager
def hang_guard(target: Target, data: bytes) -> Iterator[None]:
    """When a reader does not return: leave the input, print the place, and end."""
    FOUND.mkdir(parents=True, exist_ok=True)
    at_hand = FOUND / "at-hand"
    at_hand.write_bytes(data)
    (FOUND / "at-hand.txt").write_text(f"{target.name}\n", encoding="utf-8")
    faulthandler.dump_traceback_later(HANG_S, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        at_hand.unlink()


def _where(problem: BaseException) -> str:
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace is not None else "?"


def main() -> int:
    """Run; exit status 1 after a failure."""
    arguments = argparse.ArgumentParser(
        prog="python -m tests.fuzz.foreign", description="Foreign bytes to every reader."
    )
    arguments.add_argument("--minutes", type=float, default=10.0)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--targets", help="names, with commas; all unless given")
    arguments.add_argument("--replay", help="a file that a failure left: NAME-of-target/file")
    options = arguments.parse_args()
    chosen = [one for one in TARGETS if not options.targets or one.name in options.targets.split(",")]
    if options.replay:
        path = Path(options.replay)
        target = next(one for one in TARGETS if one.name.replace(" ", "-") == path.parent.name)
        failure = attempt(target, path.read_bytes())
        print(failure.why if failure else "within its budget")
        return int(failure is not None)
    end, seen = time.monotonic() + 60 * options.minutes, {one.name: [0, 0] for one in chosen}
    makers = {
        one.name: inputs(one, Random(f"{options.seed} {one.name}"), (*one.sizes, 400_000)[: len(one.sizes) + 1])
        for one in chosen
    }
    while time.monotonic() < end:
        for target in chosen:
            data = next(makers[target.name])
            with hang_guard(target, data):
                failure = attempt(target, data)
            seen[target.name][0] += 1
            if failure is not None:
                seen[target.name][1] += 1
                folder = FOUND / target.name.replace(" ", "-")
                folder.mkdir(parents=True, exist_ok=True)
                path = folder / f"{seen[target.name][1]}"
                path.write_bytes(data)
                print(f"FAILURE {target.name}: {failure.why}; {len(data)} bytes in {path}", flush=True)
    for name, (count, wrong) in seen.items():
        print(f"{name}: {count} inputs, {wrong} failures")
    return int(any(wrong for _, wrong in seen.values()))


if __name__ == "__main__":
    sys.exit(main())
