"""Texts are written as the document is: its quotes, its ends of statements, its indentation."""

import pytest
from suture.lsp_server.completion.asking.newline_indent import after_enter
from suture.lsp_server.completion.cursor import Cursor
from suture.lsp_server.completion.style import Style, ends_alike, in_style, indentation, style_of
from suture.parser import language
from suture.parser.language import traits

from ..support.inside import state_of

SINGLE = "import a from 'a'\nconst x = 'b'\nfunction f() {\n\treturn x\n}\n"
DOUBLE = 'import a from "a";\nconst x = "b";\nfunction f() {\n  return x;\n}\n'


def written(name: str, marked: str, said: str) -> str:
    """The part shown of a text at the `|` of a document."""
    left, right = marked.split("|")
    state = state_of(language(name).hole(left, right).state)
    return in_style(said, Cursor.at(left + right, len(left)), state, traits(name))


@pytest.mark.parametrize(
    ("document", "style"),
    [
        (SINGLE, Style("'", "", False, "\t")),
        (DOUBLE, Style('"', "", True, "  ")),
        (DOUBLE + SINGLE, Style("", "", None, "  ")),
        ("// it's\nx = `'a' 'b'`\n", Style("", "", False, "")),
        ("const a = <p id=\"b\">it's</p>\n  .c('d')\n", Style("'", '"', None, "  ")),
        ("const a = b\n  + c\nf(a, [\n    'b'\n])\n", Style("'", "", None, "  ")),
        ('f("\\n", "it\'s")\n', Style('"', "", False, "")),
        ("", Style()),
    ],
)
def test_the_style_of_a_document(document: str, style: Style) -> None:
    assert style_of(Cursor.at(document, len(document)), traits("typescriptreact")) == style


@pytest.mark.parametrize(
    ("name", "document", "said", "shown"),
    [
        ("typescript", SINGLE + "|", 'f("c", x);\nf(y);', "f('c', x)\nf(y)"),
        ("typescript", DOUBLE + "|", "f('c', x);", 'f("c", x);'),
        ("typescript", SINGLE + "|", 'f("it\'s", "\\n", "\\"");', 'f("it\'s", \'\\n\', "\\"")'),
        ("typescript", SINGLE + "|", '`${f("a")} "b"`', "`${f('a')} \"b\"`"),
        ("typescript", SINGLE + "|", '// the "b";', '// the "b";'),
        ("typescript", SINGLE + "|", 'f(/["b"]|it\'s "c"/g, "d")', 'f(/["b"]|it\'s "c"/g, \'d\')'),
        ("typescript", SINGLE + "|", "if (x) {\n    f();\n    if (y) {\n        g();\n    }\n}", "if (x) {\n\tf()\n\tif (y) {\n\t\tg()\n\t}\n}"),
        ("typescript", SINGLE + "|\n[1].map(x)\n", "f();", "f();"),
        ("typescript", SINGLE + "f()|\n", ";", ""),
        ("typescript", SINGLE + "for (|", "let i = 0; i < n; i++) {}", "let i = 0; i < n; i++) {}"),
        ("typescript", SINGLE + "f(|)\n", '"a"', "'a'"),
        ("typescriptreact", SINGLE + 'a = <b c="d"/>\n|', "e = <b c='f' g={\"h\"}>\"i\"</b>;", "e = <b c=\"f\" g={'h'}>\"i\"</b>"),
        ("python", "x = 'a'\n|", 'y = f("b") + g"', 'y = f("b") + g"'),
        ("python", "x = 'a'\n|", 'y = f("b", rb"c", """d""")', "y = f('b', rb'c', \"\"\"d\"\"\")"),
        ("python", "if x:\n  y = 'a'\n|", "while x:\n    y\n    while y:\n        z", "while x:\n  y\n  while y:\n    z"),
        ("python", "if x:\n  y = 'a'\n|", "y = '''\n    z\n'''", "y = '''\n    z\n'''"),
        ("go", 'package a\n\nvar b = "c"\n|', "var d = 'e'", "var d = 'e'"),
    ],
)  # fmt: skip
def test_texts_are_written_as_the_document_is(name: str, document: str, said: str, shown: str) -> None:
    assert written(name, document, said) == shown


def test_what_would_make_the_file_invalid_is_left() -> None:
    assert written("python", "x = 'a'\nf'{|}'\n", '"b"') == '"b"'  # before 3.12 the quotes inside of a field are others


def test_what_closes_a_string_may_have_other_quotes() -> None:
    assert ends_alike("f('a')", '")') and not ends_alike("f('a']", '")')


def test_a_step_is_the_documents_own() -> None:
    assert [indentation(text) for text in ("a\n b", "a\n  b\n  c", "a {\n\tb", "a(b,\n  c)\nd\n    e\n        f")] == [
        "", "  ", "\t", "    ",
    ]  # fmt: skip
    document = "def f():\n  if x:"
    assert after_enter(Cursor.at(document, len(document)), "python") == "\n    "
    document = "def f():\n  x\n  if x:"
    assert after_enter(Cursor.at(document, len(document)), "python") == "\n    "
