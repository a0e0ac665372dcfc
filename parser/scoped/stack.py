"""A stack of parsers, each for one construct, for deciding on the next symbol.

This is the "tree of parsers" of the paper on sLua in a deterministic form. There, a parser has several children while it is still open which
construct has begun; here a construct's first symbol tells its kind (an expression is parsed with the *set* of its possible types), so the
tree is a path: a stack. A `Frame` is one parser on it: an immutable value with the symbols it accepts, its successors, and its value for the
frame below when it ends. Frames carry the environment they were given, so scopes need no clean-up: a block's definitions go with its frame.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

WORD, NUMBER, STRING, PUNCTUATION = "word", "number", "string", "punctuation"


class Token(NamedTuple):
    """A symbol of the text."""

    kind: str
    text: str


class NameRule(NamedTuple):
    """The new names allowed in a place: any but the taken ones and those with a reserved prefix."""

    taken: frozenset[str]
    longest: int
    reserved: str = "__slua"

    def allows(self, name: str) -> bool:
        """Whether the rule allows a name."""
        return name not in self.taken and len(name) <= self.longest and self.begins_well(name)

    def begins_well(self, prefix: str) -> bool:
        """Whether a name can start like this, if none were taken."""
        well = NAME_CHARS.issuperset(prefix) and prefix[:1] not in DIGITS
        return well and bool(prefix) and not prefix.startswith(self.reserved)

    def allows_prefix(self, prefix: str) -> bool:
        """Whether an allowed name can start like this. Few are taken, so among long extensions there is always a free one."""
        if len(prefix) < self.longest - 1:
            return self.begins_well(prefix)
        return self.allows(prefix) or any(self.allows(prefix + char) for char in NAME_CHARS)


DIGITS = frozenset("0123456789")
NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")


@dataclass(frozen=True, slots=True)
class Expected:
    """The symbols that may come next."""

    words: frozenset[str] = frozenset()
    """keywords and known names"""
    punctuation: frozenset[str] = frozenset()
    new_name: NameRule | None = None
    number: bool = False
    nonzero: bool = False
    """whether the number has to be other than 0"""
    string: bool = False
    string_name: NameRule | None = None
    """the rule for the name in the string"""
    what: str = ""
    """expectations in words"""

    @staticmethod
    def only(text: str, what: str = "") -> Expected:
        """One keyword or punctuation."""
        texts = frozenset((text,))
        return Expected(words=texts, what=what) if text[0].isalpha() else Expected(punctuation=texts, what=what)

    def together(self, other: Expected) -> Expected:
        """The next symbols where either may continue."""
        return Expected(
            self.words | other.words,
            self.punctuation | other.punctuation,
            self.new_name or other.new_name,
            self.number or other.number,
            self.nonzero or other.nonzero,
            self.string or other.string,
            self.string_name or other.string_name,
            self.what or other.what,
        )

    def accepts(self, token: Token) -> bool:
        """Whether this symbol may come next."""
        kind, text = token
        if kind == WORD:
            return text in self.words or (self.new_name is not None and self.new_name.allows(text))
        if kind == PUNCTUATION:
            return text in self.punctuation
        if kind == NUMBER:
            return self.number and not (self.nonzero and number_value(text) == 0)
        return self.string and (self.string_name is None or self.string_name.allows(text[1:-1]))


def number_value(text: str) -> float:
    """The value of a number, decimal or hexadecimal."""
    return float(int(text, 16)) if text[:2] in ("0x", "0X") else float(text)


@dataclass(frozen=True, slots=True)
class Done:
    """A frame has ended, with a value for the frame below."""

    value: object = None


class Frame(Protocol):
    """A parser of one construct after part of it; an immutable, hashable value."""

    def expected(self) -> Expected:
        """The symbols this frame itself accepts."""
        ...

    def shift(self, token: Token) -> tuple[Frame, ...] | Done:
        """The replacement of the frame after an accepted symbol: frames, the lowest first, or its end."""
        ...

    def end(self) -> Done | None:
        """The frame's value if it ends here, before a symbol it does not accept; None: it may not end yet."""
        return None

    def resume(self, value: object) -> tuple[Frame, ...] | Done:
        """The replacement of the frame when the one above it has ended with a value."""
        return (self,)

    def way_out(self) -> str:
        """A short text accepted next on the frame's way to its end; "" where it may end."""
        ...


@dataclass(eq=False)
class Stack:
    """Frames, the top one first; equal stacks of one `Interner` are one object. `None` stands for the empty stack: the text is finished."""

    frame: Frame
    below: Stack | None
    interner: Interner = field(repr=False)

    @cached_property
    def popped(self) -> Stack | None | Ellipsis_:
        """The stack when the top frame ends here; NOT_YET where it may not."""
        done = self.frame.end()
        return NOT_YET if done is None else self.interner.resumed(self.below, done)

    @cached_property
    def expected(self) -> Expected:
        """The next symbols, including those after ends of frames."""
        own = self.frame.expected()
        popped = self.popped
        return own.together(popped.expected) if isinstance(popped, Stack) else own

    @cached_property
    def sorted_words(self) -> list[str]:
        """The words that may come next, in order."""
        return sorted(self.expected.words)

    def has_word_prefix(self, prefix: str) -> bool:
        """Whether some possible next word starts like this."""
        words = self.sorted_words
        index = bisect_left(words, prefix)
        return index < len(words) and words[index].startswith(prefix)

    def words_with(self, prefix: str) -> list[str]:
        """The possible next words with this prefix."""
        words = self.sorted_words
        return words[bisect_left(words, prefix) : bisect_left(words, prefix + "\U0010ffff")]

    @cached_property
    def shifted(self) -> dict[Token, Stack | None]:
        """The memo of the stacks after a symbol."""
        return {}

    def shift(self, token: Token) -> Stack | None | Ellipsis_:
        """The stack after a symbol; NOT_YET where it is not accepted, None where it finishes the text."""
        try:
            return self.shifted[token]
        except KeyError:
            pass
        if not self.expected.accepts(token):
            return NOT_YET
        stack: Stack = self
        while not stack.frame.expected().accepts(token):
            popped = stack.popped
            assert isinstance(popped, Stack)
            stack = popped
        after = self.interner.replaced(stack.below, stack.frame.shift(token))
        self.shifted[token] = after
        return after

    def forget(self) -> None:
        """Forget the memos, which refer to other stacks and back; they can be computed again."""
        for name in ("popped", "expected", "sorted_words", "shifted"):
            self.__dict__.pop(name, None)

    @cached_property
    def size(self) -> int:
        """The number of frames."""
        return 1 if self.below is None else self.below.size + 1


class Ellipsis_:
    """The type of NOT_YET."""

    def __bool__(self) -> bool:
        return False


NOT_YET = Ellipsis_()


class Interner:
    """Makes stacks; equal ones are one object."""

    def __init__(self) -> None:
        self._stacks: dict[tuple[Frame, Stack | None], Stack] = {}
        self.states = 0
        """prefix states made of its stacks"""

    def __len__(self) -> int:
        return len(self._stacks)

    def forget(self) -> Iterator[Stack]:
        """Drop the stacks and return them: their memos refer to each other."""
        stacks = list(self._stacks.values())
        self._stacks.clear()
        return iter(stacks)

    def push(self, below: Stack | None, frame: Frame) -> Stack:
        """A stack with one frame more."""
        key = (frame, below)
        stack = self._stacks.get(key)
        if stack is None:
            stack = self._stacks[key] = Stack(frame, below, self)
        return stack

    def replaced(self, below: Stack | None, step: tuple[Frame, ...] | Done) -> Stack | None:
        """The stack after its top frame was replaced by others or has ended."""
        if isinstance(step, Done):
            return self.resumed(below, step)
        stack = below
        for frame in step:
            stack = self.push(stack, frame)
        return stack

    def resumed(self, below: Stack | None, done: Done) -> Stack | None:
        """The stack below a frame that has ended."""
        return None if below is None else self.replaced(below.below, below.frame.resume(done.value))
