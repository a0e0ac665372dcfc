"""The prompt of a small window still has the signature, the docstring and the imports its code depends on."""

import random
from dataclasses import replace

import pytest
from suture.model import Model, Options, load
from suture.model.decoding import api
from suture.model.prompting.outline import Need, by_use, fitted, outline
from suture.model.prompting.prompt import build
from suture.model.runtime.served.reading import ReadingSpeed
from suture.model.runtime.served.runtime import ServedRuntime

from tests.model.test_reading_ahead import Counting

# Parts that must not be lost, and the code between them and the cursor; {} is the body.
PYTHON = ["import os\n", "from typing import (\n    Any,\n    Mapping,\n)\n", "OTHER = 1\n\n\n", "class Store(Base):\n",
          "    def method(\n        self,\n        wide: Mapping[str, Any],\n    ) -> int:\n", '        """Count what is wide."""\n']  # fmt: skip
PLAIN = ["import os\n\n", "OTHER = 1\n\n\n", "def total(prices, *, tax=0.2):\n", "    '''The sum.'''\n"]
GO = ['package main\n\nimport (\n\t"fmt"\n)\n\n', "var other = 1\n\n", "// Sum adds all of them.\n",
      "func (s *Server) Sum(values []int,\n\tmore ...int) (int, error) {\n"]  # fmt: skip
TYPESCRIPT = ['import { useState } from "react";\n', "import {\n  size,\n} from './sizes';\n\n", "const other = 1;\n\n",
              "/** Draws it. */\n", "export function View({\n  name,\n  wide,\n}: Properties): Element {\n"]  # fmt: skip
CLASS = ["import { a } from 'a';\n\n", "export class Store {\n", "  async find(key: string): Promise<Item> {\n"]
CODE = {
    "python": (PYTHON, "        os.value_{0} = self.compute({0}, wide)\n"),
    "plain": (PLAIN, "    price_{0} = prices[{0}] * os.tax\n"),
    "go": (GO, "\tfmt.Println(values[{0}])\n"),
    "typescript": (TYPESCRIPT, "  const [state{0}] = useState(size + {0});\n"),
    "class": (CLASS, "    const item{0} = await a.get(key, {0});\n"),
}
OTHER = {"OTHER = 1\n\n\n", "var other = 1\n\n", "const other = 1;\n\n"}


@pytest.fixture(scope="module")
def embedded() -> Model:
    return load(copying=False)


def deep_inside(language: str, lines: int = 200) -> str:
    parts, body = CODE[language]
    indentation = body[: len(body) - len(body.lstrip())]
    return "".join(parts) + "".join(body.format(number) for number in range(lines)) + indentation


def seen(model: Model, ids: tuple[int, ...] | list[int]) -> str:
    return model.vocabulary.decode(ids).decode(errors="replace")


@pytest.mark.parametrize("budget", [96, 128, 192, 384, 768])
@pytest.mark.parametrize("language", CODE)
@pytest.mark.parametrize("order", ["spm", "psm"])
def test_no_window_is_so_small_that_it_loses_what_the_code_depends_on(
    embedded: Model, language: str, budget: int, order: str
) -> None:
    model = embedded
    if order == "psm":
        places = {part: part for part in embedded.template.parts if isinstance(part, int)}
        model = replace(
            embedded, line_last=True, template=replace(embedded.template, order="psm", parts=("P", "S", *places))
        )
    left = deep_inside(language)
    ids = build(model, left, "\n" + "    print(1)\n" * 100, budget=budget, spare=128).ids
    text = seen(model, ids)
    for part in CODE[language][0]:
        for line in filter(str.strip, part.splitlines(True)):
            assert (line in text) == (part not in OTHER), line
    assert left[-60:].strip() in text
    assert len(ids) <= budget + 128 + model.template.overhead
    assert text.count(CODE[language][0][-1]) == 1


def test_a_slow_machine_s_first_window_has_it_too(embedded: Model) -> None:
    dialect = Counting(embedded.template.ends[0])
    runtime = ServedRuntime(dialect, size=embedded.runtime.size, limit=2048, reading=ReadingSpeed(60.0))
    model = replace(embedded, runtime=runtime, served=runtime)
    api.read_ahead(model, deep_inside("python"), "\n", Options(), lambda: False)
    text = seen(model, dialect.read_to[-1])
    for part in PYTHON:
        assert (part in text) == (part not in OTHER), part


def test_the_bundled_model_in_process_sees_its_window_alone(embedded: Model) -> None:
    left = deep_inside("python")
    asked = api._prompt(embedded, left, "\n", Options(context_tokens=192, heal=False))
    assert left.endswith(seen(embedded, asked.ids)[1:])
    other = replace(embedded, template=replace(embedded.template, name="qwen"))
    assert PYTHON[4] in seen(embedded, api._prompt(other, left, "\n", Options(context_tokens=192)).ids)


def test_the_outline_keeps_within_what_the_runtime_can_hold(embedded: Model) -> None:
    for limit in (160, 200, 300, 600):
        dialect = Counting(embedded.template.ends[0])
        runtime = ServedRuntime(dialect, size=embedded.runtime.size, limit=limit, reading=ReadingSpeed(60.0))
        model = replace(embedded, runtime=runtime, served=runtime)
        api.read_ahead(model, deep_inside("python"), "\n", Options(max_tokens=32), lambda: False)
        assert len(dialect.read_to[-1]) <= limit - 32


def test_a_window_that_begins_with_the_file_is_as_it_was(embedded: Model) -> None:
    left = deep_inside("python", 4)
    text = seen(embedded, build(embedded, left, "\n", budget=2000, heal=False).ids)
    assert text == "\n" + left


@pytest.mark.parametrize(
    "between",
    [
        '        query = """\nselect *\nfrom x\n"""\n',
        "# y = 1\n",
        "        call(\n            1,\n    )\n",
        "\n\n",
        "        for x in y:\n            if x:\n                pass\n",
    ],
)
def test_what_stands_further_left_hides_no_signature(between: str) -> None:
    above = "".join(PYTHON) + between + "        x = 1\n" * 50
    needs = {piece.need: piece.text for piece in outline(above, 8, len(above) - 20)}
    assert needs[Need.SIGNATURE] == PYTHON[4] and needs[Need.SCOPE] == PYTHON[3] and needs[Need.DOCSTRING] == PYTHON[5]


def test_a_signature_that_is_too_long_keeps_its_ends() -> None:
    header = "def f(\n" + "".join(f"    parameter_{n}: int = {n},\n" for n in range(30)) + ") -> None:\n"
    pieces = outline("import os\n" + header + "    x = 1\n" * 9, 4, len(header) + 60)
    text = fitted(pieces, 300)
    assert "def f(\n    parameter_0: int = 0,\n" in text and text.endswith(") -> None:\n")
    assert len(text) <= 300


def test_a_docstring_in_which_the_cursor_is_begins_in_sight() -> None:
    above = "def f():\n" + '    """The first line.\n\n' + "    More of it.\n" * 90
    assert "The first line." in fitted(outline(above, 4, len(above) - 30), 200)


def test_imports_of_names_in_use_are_kept_first() -> None:
    above = "".join(f"import module_{n}\n" for n in range(100)) + "\n\ndef f():\n" + "    x = 1\n" * 30
    pieces = by_use(outline(above, 4, len(above) - 10), "module_77.call(module_5)")
    assert fitted(pieces, 50) == "import module_5\nimport module_77\ndef f():\n"


def test_pieces_are_lines_of_the_text_in_their_order() -> None:
    chance = random.Random(7)
    lines = [
        *"".join(PYTHON + GO + TYPESCRIPT + CLASS).splitlines(True),
        '"""\n',
        "\n",
        "\tx = (\n",
        "})\n",
        "é = 1\n",
        "/*\n",
    ]
    for _ in range(300):
        above = "".join(chance.choice(lines) for _ in range(chance.randrange(60)))
        start = chance.randrange(len(above) + 1)
        pieces = outline(above, chance.randrange(12), start)
        assert [piece.start for piece in pieces] == sorted({piece.start for piece in pieces})
        for piece in pieces:
            assert above.startswith(piece.text, piece.start) and piece.start + len(piece.text) <= start
        for room in (0, 20, 100):
            assert len(fitted(pieces, room)) <= room


@pytest.mark.parametrize("budget", [1, 2, 10, 50, 200])
def test_no_budget_is_exceeded_by_more_than_what_may_be_spared(embedded: Model, budget: int) -> None:
    for language in CODE:
        for spare in (0, 7, 128):
            ids = build(embedded, deep_inside(language), "\n", budget=budget, spare=spare, heal=False).ids
            assert len(ids) <= budget + spare + embedded.template.overhead


def test_the_outline_stays_while_a_line_is_typed(embedded: Model) -> None:
    left = deep_inside("python")
    begins = {
        tuple(build(embedded, left + "self.compute(1, wide)"[:typed], "\n", budget=192, spare=128, heal=False).ids[:60])
        for typed in range(20)
    }
    assert len(begins) == 1
