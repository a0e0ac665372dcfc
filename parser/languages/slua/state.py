"""The state of a script after some of its text: the lexer's state, and the stack of parsers."""

from __future__ import annotations

from collections.abc import Sequence

from ...scoped.stack import NUMBER, PUNCTUATION, STRING, WORD, Stack, Token
from . import lexer
from .api import Api
from .lexer import BETWEEN, COMMENT, Lex
from .script import start


class PrefixState:
    """The state after a possible beginning of a script; a value: reading on returns another."""

    __slots__ = ("_after", "comments", "lex", "stack")
    is_interned = True  # the memos refer to themselves, and are undone by gc_policy.release_incrementally

    def __init__(self, lex: Lex, stack: Stack | None, comments: bool) -> None:
        """stack: None where the script is finished."""
        self.lex = lex
        self.stack = stack
        self.comments = comments
        self._after: dict[str, PrefixState | None] = {}
        if stack is not None:
            stack.interner.states += 1

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PrefixState)
            and self.stack is other.stack
            and self.lex == other.lex
            and self.comments == other.comments
        )

    def __hash__(self) -> int:
        return hash((self.lex, id(self.stack)))

    def read(self, char: str) -> PrefixState | None:
        """The state after one more character; None where no script starts like this."""
        try:
            return self._after[char]
        except KeyError:
            after = self._read(char)
            if after == self:
                after = self
            self._after[char] = after
            return after

    def _read(self, char: str) -> PrefixState | None:
        stepped = lexer.step(self.lex, char)
        if stepped is None:
            return None
        lex, token = stepped
        stack = self.stack
        while token is not None:
            after = None if stack is None else stack.shift(token)
            if after is None or isinstance(after, Stack):
                if stack is None:
                    return None
                stack = after
            else:
                return None
            lex, token = lexer.settled(lex)
        state = PrefixState(lex, stack, self.comments)
        return state if state._viable() else None

    def advance(self, text: str) -> PrefixState | None:
        """The state after more text; None where no script starts like this."""
        state: PrefixState | None = self
        for char in text:
            state = state.read(char)
            if state is None:
                return None
        return state

    def _viable(self) -> bool:
        kind, text, _ = lex = self.lex
        if not kind:
            return True
        if kind == COMMENT:
            return self.comments
        stack = self.stack
        if kind == PUNCTUATION and text == "-" and self.comments:
            return True
        if stack is None:
            return False
        if kind == PUNCTUATION:
            return any(sign.startswith(text) for sign in stack.expected.punctuation)
        expected = stack.expected
        if kind == WORD:
            new = expected.new_name
            return stack.has_word_prefix(text) or (new is not None and new.allows_prefix(text))
        if kind == NUMBER:
            return expected.number and (not expected.nonzero or lexer.can_be_nonzero(lex))
        rule = expected.string_name
        return expected.string and (rule is None or text == text[0] or rule.allows_prefix(text[1:]))

    @property
    def settled(self) -> Stack | None | bool:
        """The stack if the text ended here: None where it is finished, False where the last symbol is cut."""
        if not self.lex.kind or (self.lex.kind == COMMENT and self.lex.part not in ("long", "]")):
            return self.stack
        token = lexer.pending(self.lex)
        if token is None or self.stack is None:
            return False
        after = self.stack.shift(token)
        return after if after is None or isinstance(after, Stack) else False

    @property
    def finished(self) -> bool:
        """Whether the text is a whole script."""
        return self.settled is None

    def in_symbol(self, char: str) -> bool:
        """Whether the next character, if it is this one, is part of a symbol or comment."""
        return char not in lexer.BLANKS or self.lex.kind in (STRING, COMMENT)

    @property
    def in_text(self) -> bool:
        """Whether this is within a string or a comment, where any character may come."""
        if self.lex.kind == COMMENT:
            return True
        return (
            self.lex.kind == STRING
            and not self.lex.part
            and (self.stack is None or self.stack.expected.string_name is None)
        )

    def shift(self, tokens: Sequence[Token]) -> Stack | None | bool:
        """The stack after whole symbols from here; False where one does not fit."""
        stack = self.settled
        for token in tokens:
            if not isinstance(stack, Stack):
                return False
            after = stack.shift(token)
            stack = after if after is None or isinstance(after, Stack) else False
        return stack


def beginning(api: Api, kinds: Sequence[str] = (), *, comments: bool = True) -> PrefixState:
    """The state before a script of one of these kinds, by default of any kind of the API.

    comments: whether there may be comments. Raises ApiError where no such script exists.
    """
    return PrefixState(BETWEEN, start(api, kinds), comments)
