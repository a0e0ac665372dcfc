"""Trees of outcomes, read once and packed into bytes, so that other processes need not read the texts.

Numbers of 32 bits, and then sets of groups as bits. A node is read on demand, in a few microseconds instead of the milliseconds for its
texts. At the beginning of a line, the meaning of a text depends on the true column: such roots keep the runs of white space and comments
before a symbol, and the tree after each; only the runs are read from the true place.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from ..glr.layout import Line
from ..glr.prefix import Engine
from ..lexing.base import LexState
from .terminal_trie import Ends, Given, Item, TerminalTrie, TrieArena, bits_of

_SIZE = 4
_DENSE = (1 << 32) - 1
_FEW = 16
"""Groups of a set kept as their numbers."""
_UP = 8
"""Added to columns, which may be negative."""


class Root(NamedTuple):
    """The trees to begin with: those entered at once, and those entered by a new line."""

    starts: Sequence[TerminalTrie]
    lines: Sequence[tuple[Line, TerminalTrie]]


class Packer:
    """Packs the trees of a forest. Equal ones are kept once."""

    def __init__(self, forest: TrieArena) -> None:
        assert not forest.exact, "what is counted there are lexer states, which have no numbers"
        self._forest = forest
        self._cells = array("I", [0])
        self._bits = bytearray()
        self._sets: dict[int, int] = {0: 0}
        self._records: dict[tuple[int, ...], int] = {}
        self._nodes: dict[int, int] = {}
        self._kept: list[TerminalTrie] = []  # the objects whose addresses are in _nodes

    def packed(self) -> bytes:
        """The packed bytes."""
        assert self._cells.itemsize == _SIZE
        return len(self._cells).to_bytes(8, "little") + self._cells.tobytes() + bytes(self._bits)

    def root(self, place: LexState, texts: Sequence[str], groups: Sequence[int], run: str) -> int:
        """The number of a root; run: see partition.EquivalenceKey."""
        if not run:
            return self._record([0, self._node(TerminalTrie(Given(place, texts, groups)))])
        ends: list[int] = []
        runs: dict[str, tuple[str, object, list[Item]]] = {}
        step = self._forest.engine.lexer.step
        for text, group in zip(texts, groups, strict=True):
            lex: LexState | None = place
            for offset, char in enumerate(text):
                assert lex is not None
                lex, tokens = step(lex, char)
                if tokens:
                    assert lex is not None and isinstance(tokens[0], Line)
                    same = runs.setdefault(text[:offset], (char, tokens[0], []))
                    assert same[1] == tokens[0], "the line depends on more than what is before its first symbol"
                    same[2].append(Item(tokens[1:], lex, text[offset + 1 :], group))
                    break
            else:
                ends += [len(text), *map(ord, text), group]
        record = [1 + len(runs), len(ends), *ends]
        before = ""
        for run, (char, _, items) in sorted(runs.items()):
            common = next((i for i, (a, b) in enumerate(zip(before, run, strict=False)) if a != b), len(before))
            rest = run[common:]
            record += [common, len(rest), *map(ord, rest), ord(char), self._node(self._forest.tree(items))]
            before = run
        return self._record(record)

    def _record(self, record: Sequence[int]) -> int:
        key = tuple(record)
        number = self._records.get(key)
        if number is None:
            number = self._records[key] = len(self._cells)
            self._cells.extend(key)
        return number

    def _node(self, tree: TerminalTrie) -> int:
        kept = self._nodes.get(id(tree))
        if kept is not None:
            return kept
        ends = tree.read(self._forest)
        by_terminal = [self._set(bits) for pair in ends.by_terminal for bits in pair]
        kids = [number for terminal, kid in sorted(tree.kids.items()) for number in (terminal, self._node(kid))]
        lines = [
            number
            for line, kid in sorted(tree.lines.items())
            for number in (line.column + _UP, line.alt_column + _UP, self._node(kid))
        ]
        counts = [len(by_terminal) // 2, len(kids) // 2, len(lines) // 3]
        number = self._record([self._set(ends.always), self._set(ends.by_line), *counts, *by_terminal, *kids, *lines])
        self._kept.append(tree)
        self._nodes[id(tree)] = number
        return number

    def _set(self, bits: int) -> int:
        number = self._sets.get(bits)
        if number is not None:
            return number
        if bits.bit_count() == 1:
            number = (bits.bit_length() - 1) << 1 | 1
        elif bits.bit_count() <= _FEW:
            numbers = [i for i, bit in enumerate(reversed(f"{bits:b}")) if bit == "1"]
            number = self._record([len(numbers), *numbers]) << 1
        else:
            size = bits.bit_length() // 8 + 1
            number = self._record([_DENSE, len(self._bits), size]) << 1
            self._bits += bits.to_bytes(size, "little")
        self._sets[bits] = number
        return number


class Packed:
    """Reads the bytes of a Packer."""

    def __init__(self, content: bytes | memoryview) -> None:
        view = memoryview(content).cast("B")
        first = 8 + _SIZE * int.from_bytes(view[:8], "little")
        self._cells = view[8:first].cast("I")
        self._bits = view[first:]
        self._nodes: dict[int, _PackedTree] = {}

    def root(self, number: int, place: LexState, forest: TrieArena) -> Root:
        """The root of a lexer state: its own, or one with the same kin."""
        cells = self._cells
        kind = cells[number]
        if not kind:
            return Root([self._tree(cells[number + 1])], ())
        texts: list[str] = []
        groups: list[int] = []
        offset, end = number + 2, number + 2 + cells[number + 1]
        while offset < end:
            first, last = offset + 1, offset + 1 + cells[offset]
            texts.append("".join(map(chr, cells[first:last])))
            groups.append(cells[last])
            offset = last + 1
        starts: list[TerminalTrie] = [TerminalTrie(Given(place, texts, groups))]
        lines: list[tuple[Line, TerminalTrie]] = []
        step = forest.engine.lexer.step
        path: list[LexState | None] = [place]
        for _ in range(kind - 1):
            common, size = cells[offset : offset + 2]
            del path[common + 1 :]
            for code in cells[offset + 2 : offset + 2 + size]:
                lex = path[-1]
                path.append(None if lex is None else step(lex, chr(code))[0])
            offset += size + 4
            lex = path[-1]
            after, tokens = step(lex, chr(cells[offset - 2])) if lex is not None else (None, ())
            if after is None:
                continue
            if tokens and isinstance(tokens[0], Line):
                lines.append((tokens[0], self._tree(cells[offset - 1])))
            else:  # the first line of a file
                starts.append(self._tree(cells[offset - 1]))
        return Root(starts, lines)

    def _tree(self, number: int) -> TerminalTrie:
        tree = self._nodes.get(number)
        if tree is None:
            tree = self._nodes[number] = _PackedTree(self, number)
        return tree

    def _set(self, number: int) -> int:
        if number & 1 or not number:
            return 1 << (number >> 1) if number else 0
        cells, offset = self._cells, number >> 1
        count = cells[offset]
        if count == _DENSE:
            first, size = cells[offset + 1 : offset + 3]
            return int.from_bytes(self._bits[first : first + size], "little")
        return bits_of(cells[offset + 1 : offset + 1 + count])

    def read(self, number: int, kids: dict[int, TerminalTrie], lines: dict[Line, TerminalTrie], newline: int) -> Ends:
        """The ends at a node; fills its kids and lines. newline: bit of that terminal."""
        cells, read = self._cells, self._set
        always, by_line, by_terminal, count, of_lines = cells[number : number + 5]
        offset = number + 5
        pairs = tuple((read(cells[i]), read(cells[i + 1])) for i in range(offset, offset + 2 * by_terminal, 2))
        offset += 2 * by_terminal
        below = 0
        for i in range(offset, offset + 2 * count, 2):
            kids[cells[i]] = self._tree(cells[i + 1])
            below |= 1 << cells[i]
        offset += 2 * count
        for i in range(offset, offset + 3 * of_lines, 3):
            lines[Line(cells[i] - _UP, cells[i + 1] - _UP)] = self._tree(cells[i + 2])
        needs = below
        for terminals, _ in pairs:
            needs |= terminals
        bits = read(by_line)
        return Ends(read(always), bits, pairs, below, needs | newline if bits else needs)


class _PackedTree(TerminalTrie):
    is_interned = True
    __slots__ = ("_number", "_packed")

    def __init__(self, packed: Packed, number: int) -> None:
        super().__init__(())
        self._packed, self._number = packed, number

    def _read(self, forest: TrieArena) -> Ends:
        blocks = forest.engine.blocks
        return self._packed.read(self._number, self.kids, self.lines, 1 << blocks.newline if blocks is not None else 0)


class Forest(TrieArena):
    """Trees of groups, some of them packed."""

    def __init__(self, engine: Engine, exact: bool, packed: Packed | None = None) -> None:
        super().__init__(engine, exact)
        self.packed = packed
