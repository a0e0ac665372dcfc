"""The text after a hole."""

from __future__ import annotations

from functools import cached_property

from ...scoped.stack import WORD, Stack, Token
from . import lexer
from .lexer import BETWEEN, COMMENT, KEYWORDS
from .state import PrefixState


class RightContext:
    """A text that follows, as symbols wherever one of them begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens: dict[int, list[Token] | None] = {}

    def accepts(self, state: PrefixState) -> bool:
        """Is the text, read from a state, the rest of a script?"""
        at = 0
        while state.lex.kind:
            if at == len(self.text):
                return state.finished
            after = state.read(self.text[at])
            if after is None:
                return False
            state, at = after, at + 1
        tokens = self.tokens(at)
        if tokens is None:
            return False
        stack = state.stack
        for token in tokens:
            after = None if stack is None else stack.shift(token)
            if stack is None or not (after is None or isinstance(after, Stack)):
                return False
            stack = after
        return stack is None

    def reader(self, state: PrefixState) -> Stack | None:
        """The stack whose top frame reads the first symbol of the text; None where that goes on with a symbol before it."""
        stack = state.settled
        tokens = self.tokens()
        while tokens and isinstance(stack, Stack) and not stack.frame.expected().accepts(tokens[0]):
            popped = stack.popped
            stack = popped if isinstance(popped, Stack) else None
        return stack if isinstance(stack, Stack) and tokens else None

    def gives(self, key: str) -> bool:
        """Is there a field of this name among its symbols?"""
        return (WORD, key) in self._all

    @cached_property
    def _all(self) -> frozenset[Token]:
        return frozenset(self.tokens() or ())

    def tokens(self, start: int = 0) -> list[Token] | None:
        """The symbols from a place on at which one may begin; None where that is no sequence of symbols."""
        if start not in self._tokens:
            self._tokens[start] = self._lexed(start)
        return self._tokens[start]

    def _lexed(self, start: int) -> list[Token] | None:
        lex, found = BETWEEN, list[Token]()
        for at in range(start, len(self.text)):
            stepped = lexer.step(lex, self.text[at])
            if stepped is None:
                return None
            lex, token = stepped
            while token is not None:
                found.append(token)
                lex, token = lexer.settled(lex)
        last = lexer.pending(lex)
        if last is not None:
            found.append(last)
        elif lex.kind and not (lex.kind == COMMENT and lex.part not in ("long", "]")):
            return None
        return found

    @cached_property
    def names(self) -> list[str]:
        """The names that it uses before it defines them, those first that come first; fields of values and keys do not count."""
        found: dict[str, bool] = {}
        tokens = self.tokens() or []
        binding = False
        for at, (kind, text) in enumerate(tokens):
            before = tokens[at - 1].text if at else ""
            binding = (binding and text != ")") or text in ("function", "local", "for")
            key = before in ("{", ",") and at + 1 < len(tokens) and tokens[at + 1].text == "=" and not binding
            if kind == WORD and text not in KEYWORDS and before != "." and not key:
                found.setdefault(text, binding)
                binding = binding and before not in ("local", "for")
        return [name for name, bound in found.items() if not bound]
