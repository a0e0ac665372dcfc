"""Cells of notebooks: their order, and its effect on suggestions."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from suture.lsp_server.completion.engine.cells import Cells
from suture.lsp_server.completion.engine.cursor_context import CursorContext
from suture.lsp_server.isolation.journal import Journal
from suture.parser import language

from ..support.raw_client import Raw, staged_here

N = "file:///w/n.ipynb"
CAPABLE = {"notebookDocument": {"synchronization": {}}}


@pytest.fixture
def staged(monkeypatch) -> Iterator[Raw]:
    with staged_here(monkeypatch) as raw:
        yield raw


def place(marked: str, *above: str) -> CursorContext:
    text, offset = marked.replace("|", ""), marked.index("|")
    return CursorContext("n#1", "python", text, offset, path="/w/n.ipynb", is_cell=True, above=above)


def takes(at: CursorContext, text: str) -> bool:
    whole = Cells().joined(at)
    state = (
        language("python")
        .hole(whole.text[: whole.offset], whole.text[whole.offset :], level="names", path=whole.path)
        .state
    )
    after = None if state is None else state.advance(text)
    return after is not None and after.complete


@pytest.mark.parametrize(
    ("above", "name", "taken"),
    [
        (("import math\nprices = [1.5]\n",), "prices", True),
        (("import math", "prices = [1.5]"), "prices", True),
        (("import math",), "prices", False),
        (("def broken(\n", "prices = []\n"), "prices", True),
        (("prices = []\n", "def broken(\n"), "prices", True),
        (("%%bash\nprices = 1\n",), "prices", False),
        (("%%time\nprices = []\n",), "prices", True),
        (("%matplotlib inline\n!pip install x\nprices = !ls\n",), "prices", True),
        (("prices = await fetch()\nasync def fetch(): ...\n",), "prices", True),
        (("prices = []\n", "del prices\n"), "prices", False),
        (("# nothing\n", "\n", "prices = []"), "prices", True),
    ],
)
def test_cells_see_the_names_of_the_cells_above(above: tuple[str, ...], name: str, taken: bool) -> None:
    for marked in (
        "reduced = [x for x in |]\nprint(reduced)\n",
        "print(|)",
        "%%time\nprint(|)",
        "def f():\n    return |\n",
    ):
        assert takes(place(marked, *above), name) == taken, marked


def test_a_place_in_a_cell_stays_where_it_is() -> None:
    at = Cells().joined(place("%%time\nx = |1\n", "a = 1", "b = 2\n"))
    assert (at.text[: at.offset], at.text[at.offset :]) == ("a = 1\nb = 2\n# time\nx = ", "1\n")
    plain = CursorContext("file:///a.py", "python", "%%time\n", 0, above=("a = 1\n",))
    assert Cells().joined(plain) is plain


def cell(number: int, text: str, language_id: str = "python", uri: str = N) -> dict[str, Any]:
    return {"uri": f"{uri}#c{number}", "languageId": language_id, "version": 1, "text": text}


def open_notebook(raw: Raw, cells: list[dict[str, Any]]) -> None:
    notebook = {"uri": N, "notebookType": "jupyter-notebook", "version": 1}
    notebook["cells"] = [{"kind": 2, "document": one["uri"]} for one in cells]
    raw.send("notebookDocument/didOpen", {"notebookDocument": notebook, "cellTextDocuments": cells})


def change_notebook(raw: Raw, **cells: object) -> None:
    notebook = {"uri": N, "version": 2}
    raw.send("notebookDocument/didChange", {"notebookDocument": notebook, "change": {"cells": cells}})


def texts(raw: Raw, number: int, uri: str = N) -> list[str]:
    return [item["insertText"] for item in raw.items(f"{uri}#c{number}")]


def test_notebooks_are_kept_in_step(staged: Raw) -> None:
    result = staged.initialize(capabilities=CAPABLE)
    assert "notebookDocumentSync" in json.dumps(result)
    cells = [cell(1, "a = 1\n"), cell(2, "# words", "markdown"), cell(3, "above"), cell(4, "%%bash\nabove")]
    open_notebook(staged, cells)
    assert texts(staged, 3) == ["a = 1;"]
    assert texts(staged, 4) == [] and texts(staged, 2) == []
    array = {"start": 1, "deleteCount": 1, "cells": [{"kind": 2, "document": f"{N}#c5"}]}
    structure = {"array": array, "didOpen": [cell(5, "b = 2\n")], "didClose": [{"uri": f"{N}#c2"}]}
    change_notebook(staged, structure=structure)
    assert texts(staged, 3) == ["a = 1;b = 2;"]
    document = {"uri": f"{N}#c1", "version": 2}
    change_notebook(staged, textContent=[{"document": document, "changes": [{"text": "c = 3\n"}]}])
    assert texts(staged, 3) == ["c = 3;b = 2;"]


def test_without_being_told_cells_of_vs_code_follow_their_uris(staged: Raw) -> None:
    staged.initialize()
    notebook = "vscode-notebook-cell:/w/n.ipynb"
    for fragment, text in (
        ("X10sZmlsZQ%3D%3D", "above"),
        ("W0sZmlsZQ%3D%3D", "a = 1\n"),
        ("W6sZmlsZQ%3D%3D", "b = 2\n"),
    ):
        staged.open(f"{notebook}#{fragment}", text)
    staged.open("vscode-notebook-cell:/w/other.ipynb#W0sZmlsZQ%3D%3D", "c = 3\n")
    items = staged.items(f"{notebook}#X10sZmlsZQ%3D%3D")
    assert [item["insertText"] for item in items] == ["a = 1;b = 2;"]


def test_a_new_process_gets_the_cells_in_their_order() -> None:
    journal = Journal()
    journal.initialized = True
    cells = [cell(1, "a = 1\n"), cell(2, "b = 2\n")]
    kinds = [{"kind": 2, "document": one["uri"]} for one in cells]
    opened = {"notebookDocument": {"uri": N, "cells": kinds}, "cellTextDocuments": cells}
    journal.note("notebookDocument/didOpen", opened)
    array = {"start": 0, "deleteCount": 1, "cells": [{"document": f"{N}#c3"}]}
    structure = {"array": array, "didOpen": [cell(3, "c")], "didClose": [{"uri": f"{N}#c1"}]}
    edit = {"document": {"uri": f"{N}#c2", "version": 2}, "changes": [{"text": "d"}]}
    change = {"cells": {"structure": structure, "textContent": [edit]}}
    journal.note("notebookDocument/didChange", {"notebookDocument": {"uri": N}, "change": change})
    assert ("suture/notebook", {"uri": N, "cells": [f"{N}#c3", f"{N}#c2"]}, False) in list(journal.replay())
    assert sorted(journal.uris) == [f"{N}#c2", f"{N}#c3"]
    assert journal.opening(f"{N}#c2")["textDocument"]["text"] == "d"
    closed = [{"uri": uri} for uri in journal.uris]
    journal.note("notebookDocument/didClose", {"notebookDocument": {"uri": N}, "cellTextDocuments": closed})
    assert journal.uris == [] and not any(method == "suture/notebook" for method, _, _ in journal.replay())


def test_the_order_of_cells_comes_from_the_process_that_reads(staged: Raw) -> None:
    staged.initialize()
    staged.send("suture/notebook", {"uri": N, "cells": [f"{N}#c2", f"{N}#c1"]})
    for number, text in ((1, "above"), (2, "a = 1\n")):
        staged.send("textDocument/didOpen", {"textDocument": cell(number, text)})
    assert texts(staged, 1) == ["a = 1;"]
