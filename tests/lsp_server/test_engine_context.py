"""The engine's work beside completing: kinds of text, words, other files, languages without a grammar, reading ahead."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from suture.lsp_server.completion.engine import pipeline, sessions
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.completion.engine.pipeline import CompletionEngine
from suture.lsp_server.completion.engine.surroundings import MAX_OTHERS_CHARS
from suture.lsp_server.completion.judging.hidden import Hidden, Reason
from suture.lsp_server.completion.proposing.shown import Suggestion
from suture.lsp_server.completion.proposing.unconstrained import cut
from suture.lsp_server.context.cross_file import OtherFile
from suture.lsp_server.errors import TooSlow
from suture.lsp_server.settings.spec import Settings
from suture.model import Certainty, Completion, Options
from suture.parser import Cancelled
from suture.parser.languages.python.semantics import modules

from ..support.places import shown

SHAPES = "class Circle:\n    def area(self, radius):\n        return 3 * radius**2\n"


class Says(CompletionEngine):
    """An engine whose model writes the test's text, and which records its requests."""

    says = "1"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.seen: list[Options] = []
        template = SimpleNamespace(snippet=(), comments=False)
        self.fake = SimpleNamespace(
            name="own", reader=None, template=template, notice="", certainty=Certainty(), served=None
        )


@pytest.fixture
def engine(monkeypatch):
    engine = Says(Settings())

    def complete(model, constraint, left, right, options, *, cancelled, on_text):
        engine.seen.append(options)
        state = constraint.advance(engine.says)
        fits = state is not None and state.complete
        return Completion(engine.says, 1, "model", fits, 0.0, 0.0, 0.0)

    def candidates(model, constraint, left, right, options, n, *, budget_ms, cancelled, on_text=None):
        texts = ("1", "foo", " 1")[:n]
        return [Completion(text, 1, "model", constraint.advance(text).complete, 0.0, 0.0, 0.0) for text in texts]

    monkeypatch.setattr("suture.model.load", lambda name, **how: engine.fake)
    monkeypatch.setattr("suture.model.complete", complete)
    monkeypatch.setattr("suture.model.candidates", candidates)
    return engine


def place(marked: str, language: str = "python", path: str | None = None, others=(), **settings) -> CursorContext:
    text, offset = marked.replace("|", ""), marked.index("|")
    return CursorContext(
        path or "file:///a.py", language, text, offset, None, path, Settings(**settings), tuple(others)
    )


def suggested(engine: CompletionEngine, at: CursorContext) -> str | None:
    return shown(engine.suggest(at, lambda: False))


@pytest.mark.parametrize(
    ("marked", "settings", "shown"),
    [
        ("x = 2  # a|\n", {}, "1"),
        ("x = 2  # a|\n", {"in_comments": False}, None),
        ("x = 'a|'\n", {"in_comments": False}, "1"),
        ("x = 'a|'\n", {"in_strings": False}, None),
        ("x = f'{|}'\n", {"in_strings": False}, "1"),
        ("x = |\n", {"in_strings": False, "in_comments": False}, "1"),
        ("x = |y\n", {}, None),  # would make it another word
        ("a1b = 0\nx = a|b\n", {}, "1"),
    ],
)
def test_where_something_is_suggested(engine, marked, settings, shown):
    assert suggested(engine, place(marked, **settings)) == shown


def test_alternatives_differ_as_they_are_shown(engine):
    assert [one.text for one in engine.alternatives(place("foo = 0\nx = |\n"), 3, lambda: False)] == ["1", "foo"]
    assert engine.alternatives(place("x = |y\n"), 3, lambda: False) == []
    assert engine.alternatives(place("x = |\n"), 3, lambda: True) == []


def with_entry(marked: str, entry: str, **settings) -> CursorContext:
    """The editor's request while an entry of its own list is selected for the word before the cursor."""
    at = place(marked, **settings)
    start = at.offset - len(at.text[: at.offset].split()[-1].split("(")[-1])
    text = at.text[:start] + entry + at.text[at.offset :]
    return replace(at, text=text, offset=start + len(entry), typed=(at.text, at.offset))


@pytest.mark.parametrize(
    ("marked", "entry", "says", "shown"),
    [
        ("x = []\nfor room i|:\n    pass\n", "in", " x", " x"),
        ("for room i|", "id", " in rooms", None),  # no text after `for room id` makes it valid
        ("x = (a\n    i|\n", "import", " os", None),  # a statement where it stands alone, but not here
        ("x = )\npaths = []\ny = f(pa|)\n", "path", "s", "s"),  # broken elsewhere, and not by the entry
        ("x = )\nfor room i|", "id", " in rooms", None),
    ],
)
def test_with_the_editors_list_open_what_is_shown_is_valid_with_the_entry(engine, marked, entry, says, shown):
    engine.says = says
    at = with_entry(marked, entry)
    assert suggested(engine, at) == shown
    if shown is None:
        assert engine.alternatives(at, 3, lambda: False) == []


@pytest.mark.parametrize("marked", ["for room id|", "x = foo bar|\n", "x = )\nprint(a b|\n"])
def test_nothing_is_suggested_unasked_where_the_cursors_line_is_broken(engine, marked):
    engine.says = "\nx = 1"
    assert suggested(engine, place(marked)) is None
    assert engine.seen == []  # the model is not even asked


def test_the_first_text_that_fits(engine):
    assert engine.sessions.first_that_fits(place("x = f(|)\n"), ["1)", " ", "1, 2", "1"]) == "1, 2"
    assert engine.sessions.first_that_fits(place("x = f(|)\n"), ["1)"]) is None
    assert engine.sessions.first_that_fits(place("x = |\n", "haskell"), ["a"]) is None
    assert not engine.keeper.loaded  # it needs no model


def test_pieces_of_other_files_go_to_the_model_unless_that_is_switched_off(engine):
    others = [OtherFile("/w/shapes.py", SHAPES), OtherFile("/w/.env", SHAPES)]
    marked = "print(Circle().area(radius=|))\n"
    suggested(engine, place(marked, path="/w/a.py", others=others))
    assert [snippet.path for snippet in engine.seen[-1].snippets] == ["/w/shapes.py"]
    assert engine.seen[-1].path == "/w/a.py"
    suggested(engine, place(marked, path="/w/a.py", others=others, context_files=False))
    assert engine.seen[-1].snippets == ()


@pytest.mark.parametrize(("language", "told"), [("go", "go"), ("python", "python"), ("haskell", None)])
def test_a_model_is_told_the_language_that_has_a_grammar(engine, language, told):
    assert engine.surroundings.options(place("x|", language)).language == told


def test_other_files_are_neither_secret_nor_ignored_and_not_too_many(engine, tmp_path: Path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("built.py\n")
    large = "x" * (MAX_OTHERS_CHARS - 10)
    others = [
        OtherFile(str(tmp_path / name), text) for name, text in (("built.py", "b"), ("id_rsa", "i"), ("a.py", "a"))
    ]
    others += [OtherFile("/large.py", large), OtherFile("/too_much.py", "y" * 20), OtherFile("/small.py", "y")]
    given = engine.surroundings.other_texts(place("x = |\n", others=others))
    assert [Path(source.path).name for source in given] == ["a.py", "large.py", "small.py"]
    assert engine.surroundings.other_texts(place("x = |\n", others=others, context_files=False)) == ()


def test_a_language_without_a_grammar_gets_the_models_own_text(engine):
    engine.says = "f(x)\nmore"
    found = engine.suggest(place("x := |\ny\r\n", "haskell", languages={"haskell": True}), lambda: False)
    assert isinstance(found, Suggestion) and (found.text, found.valid) == ("f(x)", False)
    assert engine.seen[-1].mode == "unconstrained"
    block = place("f = do\n  |\ny\n", "haskell", languages={"haskell": True}, max_lines=3)
    engine.suggest(block, lambda: False)
    assert engine.seen[-1].max_lines == 3
    assert [
        one.text
        for one in engine.alternatives(place("x = |\n", "haskell", languages={"haskell": True}), 3, lambda: False)
    ] == ["f(x)"]
    assert engine.suggest(place("|", "haskell", languages={"haskell": True}), lambda: False) == Hidden(Reason.EMPTY)


@pytest.mark.parametrize(
    ("text", "right", "lines", "ended", "shown"),
    [
        ("a)", ")", 0, True, "a"),  # existing text is not repeated
        ("a, b", ")", 0, True, "a, b"),
        ("a) + (b", ")", 0, True, "a"),  # the bracket on the right takes the place of its own
        ("(a)", "]", 0, True, "(a)"),
        ("a\nb\nc", "", 1, True, "a\nb"),
        ("a\nb\nc", "", 5, False, "a\nb"),  # the last line was cut off
        ("a;", ";\nx", 0, True, "a"),
        ("a", "", 0, False, "a"),
        ("It is so. It runs. It runs. It", "", 0, False, "It is so. It runs."),  # said again, and not ended
        ("a.b(c", "", 0, False, "a.b(c"),
    ],
)
def test_texts_that_nothing_checks_are_cut_back(text, right, lines, ended, shown):
    assert cut(text, right, lines, ended) == shown


def test_reading_a_document_before_anybody_asks(engine):
    text = "def f(x):\n    return x\n" * 200
    at = place(text + "y = |\n")
    engine.sessions.warm(at, lambda: False)
    assert engine.sessions.of(at).hole(at.text, at.offset).viable

    def impatient():
        raise Cancelled

    engine.sessions.warm(place("z = |\n" + text), impatient)
    engine.sessions.warm(place("|", "haskell"), lambda: False)
    assert not engine.keeper.loaded


def test_nothing_is_assigned_to_itself(engine):
    engine.says = "y"
    assert suggested(engine, place("y = |\n", certainty=0.0)) == "1"
    assert suggested(engine, place("y = 1\ny = | + 1\n", certainty=0.0)) == "y"


def let_parse_for(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    for module in (pipeline, sessions):
        monkeypatch.setattr(module, "PARSING_S", seconds)


def test_a_document_that_takes_too_long_is_left_alone_for_a_while(engine, monkeypatch: pytest.MonkeyPatch) -> None:
    now, read = [100.0], list[str]()
    monkeypatch.setattr(pipeline, "monotonic", lambda: now[0])
    let_parse_for(monkeypatch, -1e-9)  # spent at the first question
    session = engine.sessions.of
    monkeypatch.setattr(engine.sessions, "of", lambda at: read.append(at.document) or session(at))
    hostile = place("x = (\n" * 500 + "|", path="/w/hostile.py")
    with pytest.raises(TooSlow):
        engine.suggest(hostile, lambda: False)
    assert set(read) == {"/w/hostile.py"}
    read.clear()
    for ask in (engine.suggest, lambda at, cancelled: engine.alternatives(at, 3, cancelled)):
        with pytest.raises(TooSlow):
            ask(hostile, lambda: False)
    assert not read
    assert engine.sessions.first_that_fits(hostile, ["1"]) is None
    let_parse_for(monkeypatch, 60.0)
    assert suggested(engine, place("x = |\n", path="/w/healthy.py")) == "1"
    with pytest.raises(TooSlow):
        engine.suggest(hostile, lambda: False)
    now[0] += 60.0
    engine.suggest(hostile, lambda: False)
    assert read[-1] == "/w/hostile.py"


def test_a_document_that_takes_long_makes_way_for_another(engine, monkeypatch: pytest.MonkeyPatch) -> None:
    let_parse_for(monkeypatch, 60.0)
    monkeypatch.setattr(pipeline, "_OWED_S", 61.0)
    hostile = place("x = (\n" * 500 + "|", path="/w/hostile.py")
    engine.suggest(hostile, lambda: False)
    engine.awaited = lambda: False
    engine.suggest(replace(hostile, text="y" + hostile.text, offset=hostile.offset + 1), lambda: False)
    engine.awaited = lambda: True
    with pytest.raises(TooSlow):
        engine.suggest(hostile, lambda: False)


def test_whoever_waits_for_a_whole_folder_waits_for_any_document(engine, monkeypatch: pytest.MonkeyPatch) -> None:
    let_parse_for(monkeypatch, -1e-9)
    engine.keeper.patient = True
    assert suggested(engine, place("x = |\n")) == "1"


def test_an_asked_for_suggestion_does_not_wait_for_all_modules(
    engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number in range(150):
        (tmp_path / f"m{number}.py").write_text("x = 1\n" * 20)
    clock = iter(range(10**6))
    monkeypatch.setattr(modules, "monotonic", lambda: next(clock) / 100)
    looked = list[str]()
    look = modules.Modules._look
    monkeypatch.setattr(
        modules.Modules, "_look", lambda self, name, stop=None: looked.append(name) or look(self, name, stop)
    )
    text = "".join(f"import m{number}\n" for number in range(150)) + "y = "
    at = place(text + "|\n", path=str(tmp_path / "a.py"))
    engine.alternatives(at, 3, lambda: False)
    assert 0 < len(looked) < 40
    while len(looked) < 150:
        before = len(looked)
        engine.sessions.read_imports(at, lambda: False)
        assert len(looked) > before
