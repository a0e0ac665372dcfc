"""Words and estimates for the search of a bridge in the language of a grammar file."""

from __future__ import annotations

from collections.abc import Mapping

from .dfa_lexer import DfaLexer
from .left import Engine, Left
from .right import Right


class TokenBridging:
    """See Bridging in hole.py."""

    def __init__(self, engine: Engine, lexer: DfaLexer, brackets: Mapping[int, int]) -> None:
        self._engine, self._lexer = engine, lexer
        self._brackets = brackets
        self._texts = sorted(lexer.examples().items(), key=lambda item: len(item[1]))
        self._between = lexer.separators()
        self._unmatched: dict[Right, int] = {}

    def words(self, left: Left, right: Right) -> list[str]:
        """The rest of the symbol in progress, or a text of each terminal that can come, or what keeps two apart."""
        words = list(self._lexer.closers(left.lex))
        advance = self._engine.factory.advance
        if left.lex is self._lexer.start:
            words += [text for t, text in self._texts if advance(left.stacks, t) is not None]
        else:
            words += [text for _, text in self._texts]
        return words + self._between

    def estimate(self, left: Left, right: Right) -> float:
        """Brackets that the right context does not close, or closes too many of."""
        return float(abs(left.stacks.depth - self._closed_by(right)))

    def _closed_by(self, right: Right) -> int:
        known = self._unmatched.get(right)
        if known is None:
            run, index, depth, lowest = right.run(self._lexer.start), 0, 0, 0
            while True:
                while index >= len(run.tokens) and (run.more(self._engine) or run.link is not None):
                    if index >= len(run.tokens) and run.link is not None:
                        run, index = run.link
                if index >= len(run.tokens):
                    break
                depth += self._brackets.get(run.tokens[index], 0)  # type: ignore[arg-type]
                lowest = min(lowest, depth)
                index += 1
            if len(self._unmatched) > 64:
                self._unmatched.clear()
            known = self._unmatched[right] = -lowest
        return known
