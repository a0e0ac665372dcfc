"""The text after a hole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from itertools import pairwise

from ...scoped.stack import WORD, Stack, Token
from . import lexer
from .lexer import BETWEEN, COMMENT, KEYWORDS
from .state import PrefixState
from .types import Func, Type

_OPENING = frozenset(("(", "{", "function", "do", "if"))
_ASK_EVERY = 256
"""Characters of a symbol read between two questions whether to stop."""
_CLOSING = frozenset((")", "}", "end"))


class RightContext:
    """The text behind a hole, as symbols from wherever one begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens: dict[int, list[Token] | None] = {}
        self._progress: dict[Stack, int] = {}
        self.stop: Callable[[], bool] | None = None
        """Asked in long readings; once it says so, nothing more is accepted, and its setter asks as well."""

    def accepts(self, state: PrefixState) -> bool:
        """Whether the text, read from a state, is the rest of a script."""
        offset = 0
        while state.lex.kind:
            if offset % _ASK_EVERY == _ASK_EVERY - 1 and self.stop is not None and self.stop():
                return False
            if offset == len(self.text):
                return state.finished
            after = state.read(self.text[offset])
            if after is None:
                return False
            state, offset = after, offset + 1
        tokens = self.tokens(offset)
        if tokens is None:
            return False
        stack = state.stack
        for token in tokens:
            after = None if stack is None else stack.shift(token)
            if stack is None or not (after is None or isinstance(after, Stack)):
                return False
            stack = after
        return stack is None

    def progress(self, stack: Stack) -> int:
        """The number of its symbols readable from a stack."""
        count = self._progress.get(stack)
        if count is None:
            count, reached = 0, stack
            for token in self.tokens() or ():
                after = reached.shift(token)
                if not isinstance(after, Stack):
                    count += after is None
                    break
                reached, count = after, count + 1
            self._progress[stack] = count
        return count

    @cached_property
    def defined(self) -> frozenset[str]:
        """The names defined in the block where the text begins."""
        defined: set[str] = set()
        depth = 0
        for a, b in pairwise(self.tokens() or ()):
            depth += (a.text in _OPENING) - (a.text in _CLOSING)
            if depth < 0 or a.text in ("else", "elseif"):
                break
            if depth == 0 and a.text == "local":
                defined.add(b.text)
        return frozenset(defined)

    def reader(self, state: PrefixState) -> Stack | None:
        """The stack whose top frame reads the first symbol of the text; None where the text goes on with a symbol before it."""
        stack = state.settled
        tokens = self.tokens()
        while tokens and isinstance(stack, Stack) and not stack.frame.expected().accepts(tokens[0]):
            popped = stack.popped
            stack = popped if isinstance(popped, Stack) else None
        return stack if isinstance(stack, Stack) and tokens else None

    def gives(self, key: str) -> bool:
        """Whether a field of this name is among its symbols."""
        return (WORD, key) in self._all

    @cached_property
    def _all(self) -> frozenset[Token]:
        return frozenset(self.tokens() or ())

    def tokens(self, start: int = 0) -> list[Token] | None:
        """The symbols from a place on where one may begin; None where the text there is no sequence of symbols."""
        if start not in self._tokens:
            self._tokens[start] = self._lexed(start)
        return self._tokens[start]

    def _lexed(self, start: int) -> list[Token] | None:
        lex, tokens = BETWEEN, list[Token]()
        for offset in range(start, len(self.text)):
            stepped = lexer.step(lex, self.text[offset])
            if stepped is None:
                return None
            lex, token = stepped
            while token is not None:
                tokens.append(token)
                lex, token = lexer.settled(lex)
        last = lexer.pending(lex)
        if last is not None:
            tokens.append(last)
        elif lex.kind and not (lex.kind == COMMENT and lex.part not in ("long", "]")):
            return None
        return tokens

    def uses_as(self, name: str, fields: Callable[[str], Iterable[str]], type_: Type) -> bool:
        """Whether a name used by the text can have a type, as far as the symbols behind it tell. fields: of a type by its name."""
        asked, called = self._asked.get(name, (frozenset(), False))
        if isinstance(type_, Func):
            return called and not asked
        return not called and asked.issubset(fields(type_))

    @cached_property
    def _asked(self) -> Mapping[str, tuple[frozenset[str], bool]]:
        """For each name: its fields read here, and whether it is called, before the end of a block that begins before the text: later
        it may be another name."""
        uses: dict[str, tuple[frozenset[str], bool]] = {}
        tokens = self.tokens() or []
        depth = 0
        for index, (kind, text) in enumerate(tokens[:-2]):
            depth += (text in ("do", "if", "function")) - (text == "end")
            if depth < 0:
                break
            if kind == WORD and (index == 0 or tokens[index - 1].text not in (".", "function")):
                asked, called = uses.get(text, (frozenset[str](), False))
                if tokens[index + 1].text == ".":
                    asked |= {tokens[index + 2].text}
                uses[text] = asked, called or tokens[index + 1].text == "("
        return uses

    @cached_property
    def fields(self) -> list[str]:
        """The fields read by the text, in order of appearance."""
        tokens = self.tokens() or []
        return list(dict.fromkeys(b.text for a, b in pairwise(tokens) if a.text == "." and b.kind == WORD))

    def arity(self, name: str) -> int | None:
        """The number of arguments in the first call of a function of this name; None without a call."""
        tokens = self.tokens() or []
        for index, token in enumerate(tokens[:-1]):
            if (
                token == (WORD, name)
                and tokens[index + 1].text == "("
                and (index == 0 or tokens[index - 1].text != ".")
            ):
                depth, commas = 0, 0
                for _, text in tokens[index + 2 :]:
                    if text in (")", "}", "end") and depth == 0:
                        return commas + 1 if tokens[index + 2].text != ")" else 0
                    depth += (text in _OPENING) - (text in _CLOSING)
                    commas += text == "," and depth == 0
        return None

    @cached_property
    def ends(self) -> list[str]:
        """The symbol behind each `end` of a block that begins before the text."""
        followers: list[str] = []
        depth = 0
        tokens = self.tokens() or []
        for index, (kind, text) in enumerate(tokens):
            if kind == WORD and text in ("do", "if", "function"):
                depth += 1
            elif kind == WORD and text == "end":
                if depth == 0:
                    followers.append(tokens[index + 1].text if index + 1 < len(tokens) else "")
                else:
                    depth -= 1
        return followers

    @cached_property
    def names(self) -> list[str]:
        """The names used before their definition, in order of appearance; fields of values and keys do not count."""
        bindings: dict[str, bool] = {}
        tokens = self.tokens() or []
        binding = False
        for index, (kind, text) in enumerate(tokens):
            before = tokens[index - 1].text if index else ""
            binding = (binding and text != ")") or text in ("function", "local", "for")
            key = before in ("{", ",") and index + 1 < len(tokens) and tokens[index + 1].text == "=" and not binding
            if kind == WORD and text not in KEYWORDS and before != "." and not key:
                bindings.setdefault(text, binding)
                binding = binding and before not in ("local", "for")
        return [name for name, bound in bindings.items() if not bound]
