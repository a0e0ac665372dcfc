"""The client's open notebooks: the order of their cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .documents import Document, Documents
from .uris import is_cell


class Notebooks:
    """The order of cells, by the URIs of their documents."""

    def __init__(self) -> None:
        self._cells: dict[str, list[str]] = {}

    def open(self, uri: str, cells: Iterable[str]) -> None:
        """Open a notebook with its cells, or open it anew."""
        self._cells[uri] = list(cells)

    def splice(self, uri: str, start: int, deleted: int, cells: Iterable[str]) -> None:
        """Replace some cells by others."""
        if uri in self._cells:
            self._cells[uri][start : start + deleted] = cells

    def close(self, uri: str) -> None:
        """Forget a notebook."""
        self._cells.pop(uri, None)

    def has(self, cell: str) -> bool:
        """Whether a document is a cell of one of them."""
        return any(cell in cells for cells in self._cells.values())

    def cells(self, uri: str) -> Sequence[str]:
        """The cells of a notebook, in order."""
        return self._cells.get(uri, ())

    def above(self, document: Document, documents: Documents) -> list[Document]:
        """The cells of the same language above a cell, in order."""
        order = self._order(document.uri, documents)
        before = order[: order.index(document.uri)] if document.uri in order else ()
        cells = (documents.get(uri) for uri in before)
        return [cell for cell in cells if cell is not None and cell.language_id == document.language_id]

    def below(self, document: Document, documents: Documents) -> list[Document]:
        """The cells below a cell."""
        order = self._order(document.uri, documents)
        behind = order[order.index(document.uri) + 1 :] if document.uri in order else ()
        cells = (documents.get(uri) for uri in behind)
        return [cell for cell in cells if cell is not None]

    def _order(self, uri: str, documents: Documents) -> list[str]:
        """The cells of a cell's notebook."""
        cells_there = next((cells for cells in self._cells.values() if uri in cells), None)
        return _by_fragment(uri, documents) if cells_there is None else cells_there


def _by_fragment(uri: str, documents: Documents) -> list[str]:
    """The cells of an unannounced notebook of VS Code's: the fragments of their URIs sort in the order of creation."""
    notebook = uri.partition("#")[0]
    if not is_cell(uri):
        return []
    return sorted(document.uri for document in documents if document.uri.partition("#")[0] == notebook)
