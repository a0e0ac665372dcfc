"""The viability of a suffix B: whether some text Z makes Z + B a valid file.

GLR from an unknown stack (unknown_gss.py). Together with the viability of a prefix A this decides completability in languages whose
files are closed under concatenation with a newline between, as Python's are: A can be closed into a file, and B opened from one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from ..grammar.lalr import END
from ..lexing.base import Choice, LexState, Option, Token, Tokens
from .known_blocks import KnownBlocks
from .layout import Line
from .prefix import Engine
from .suffix import ANY_TEXT, BUCKET, SuffixContext, next_piece
from .unknown_gss import ConfigurationSet, UnknownGss

_KNOWN_EVERY = 8
"""Verdicts on places are kept at line ends at multiples of this distance to the end."""
_ASK_EVERY = 64
_FORESEEN = 8
"""The number of terminals read ahead behind a cursor within a line: the first ones meet the most stacks and cost most."""
_LOOK = 5
"""The number of B's terminals that decide which states it can start from ..."""
_LOOK_AFTER_LINE = 2
"""... fewer once a line has ended and this many have followed."""


class _Fork(NamedTuple):
    """A place where the lexer asks the stacks: the configurations there, and the distance to the end, behind the text read so far."""

    configs: ConfigurationSet | None
    choice: Choice
    distance: int


@dataclass(frozen=True, eq=False)
class _Way:
    """One way on from a fork, at a distance to the end. decides: see SuffixText.decided; before: the way that led there."""

    lex: LexState
    configs: ConfigurationSet
    distance: int
    decides: tuple[int, tuple[Option, ...], int]
    before: _Way | None


class SuffixParser:
    """Questions about right contexts by themselves."""

    def __init__(
        self,
        engine: Engine,
        brackets: dict[int, int],
        states: Set[int] | None = None,
        above: Sequence[int] = (),
        beneath: Callable[[LexState], Set[int] | None] | None = None,
    ) -> None:
        """states: LR states of which one is on top of the stacks that a right context may meet; None: all.
        above: the states all of these stacks begin with. beneath: narrows the states below a lexer state; None: not at all."""
        self._engine = engine
        self._newline = engine.blocks.newline if engine.blocks is not None else -1
        self._stacks = UnknownGss(engine, brackets, above)
        anything = self._stacks.anything if states is None else self._stacks.topped_by(states)
        assert anything is not None, "there are such stacks"
        self._anything = anything
        self._states, self._beneath = states, beneath
        self._blocks: KnownBlocks | None = (
            KnownBlocks(engine, self._stacks) if engine.blocks is not None and not engine.lexer.asks else None
        )
        self._met: dict[Set[int], ConfigurationSet | None] = {}

    def viable_from(self, right: SuffixContext, entries: Iterable[LexState]) -> LexState | None:
        """The first of these lexer states from which B is viable."""
        lexer, text = self._engine.lexer, right.tail.text
        begin = len(text) - right.length
        end, _ = next_piece(text, begin)
        tried: dict[
            tuple[LexState | tuple[tuple[Option, ...], str], ConfigurationSet], list[Tokens]
        ] = {}  # state after the first piece, or how the stacks may go on from there -> its terminals
        witnessed = {lexer.step_text(witness, text[begin:end]) for witness in right.witnesses}
        for entry in dict.fromkeys(entries):
            lex, tokens = lexer.step_text(entry, text[begin:end])
            if lex is None and type(tokens) is not Choice:
                continue
            if (lex, tokens) in witnessed:
                return entry
            at_start, anything = self._begins_line(entry), self._before(entry)
            if anything is None:
                continue
            if not at_start:
                after = lex or (tokens.options, tokens.rest) if type(tokens) is Choice else lex
                assert after is not None
                before = tried.setdefault((after, anything), [])
                emitted = tokens if lex is not None else tuple(tokens)
                if any(_follows(earlier, emitted) for earlier in before):
                    continue
                before.append(emitted)
            if type(tokens) is Choice:
                is_viable = self._goes_on(right, _Fork(self._over(tokens, anything), tokens, len(text) - end))
            else:
                assert lex is not None
                is_viable = self._viable(right, lex, tokens, end, at_start, anything)
            if is_viable:
                return entry
        return None

    def _goes_on(self, right: SuffixContext, fork: _Fork) -> bool:
        """Whether B is viable from a place where the stacks decide how to go on. An unknown stack may leave several ways open; the
        first successful one is taken."""
        tail = right.tail
        seen: set[tuple[int, LexState, ConfigurationSet]] = set()
        todo: list[_Way] = [*self._ways(fork, None)]
        while todo:
            self._engine.ask()
            way = todo.pop()
            key = way.distance, way.lex, way.configs
            if key in seen:
                continue
            seen.add(key)
            results = tail.viable.setdefault(way.distance // BUCKET, {})
            outcome = results.get(key)
            if outcome is None:
                outcome = self._along(right, way)
            if isinstance(outcome, _Fork):
                todo += self._ways(outcome, way)
            elif outcome:
                passed: _Way | None = way
                while passed is not None:
                    tail.viable.setdefault(passed.distance // BUCKET, {})[
                        passed.distance, passed.lex, passed.configs
                    ] = True
                    tail.decided[passed.decides[:2]] = passed.decides[2]
                    passed = passed.before
                return True
        for key in seen:
            tail.viable.setdefault(key[0] // BUCKET, {})[key] = False
        return False

    def _ways(self, fork: _Fork, before: _Way | None) -> Iterator[_Way]:
        """The ways to go on, the first one last."""
        over, options = self._stacks.over, fork.choice.options
        distance = fork.distance + len(fork.choice.rest)
        for number in reversed(range(len(options))) if fork.configs is not None else ():
            option = options[number]
            if over(fork.configs, option.guard) is not None:
                after = over(fork.configs, option.tokens)
                assert after is not None, "a guard begins with what is emitted"
                yield _Way(option.lex, after, distance, (distance, options, number), before)

    def _along(self, right: SuffixContext, way: _Way) -> bool | _Fork:
        """Whether B is viable that way, or where it comes to the next fork."""
        lexer, stacks, text = self._engine.lexer, self._stacks, right.tail.text
        lex, configs, offset, pieces = way.lex, way.configs, len(text) - way.distance, 0
        while offset < len(text):
            begin = lexer.skip_loop(lex, text, offset)
            offset, _ = next_piece(text, begin)
            step = lexer.step_line if text[offset - 1] == "\n" else lexer.step_text
            after, tokens = step(lex, text[begin:offset])
            over = stacks.over(configs, tokens) if type(tokens) is Choice else stacks.over_line(configs, tokens)
            if over is None:
                return False
            if after is None:
                return _Fork(over, tokens, len(text) - offset) if type(tokens) is Choice else False
            lex, configs = after, over
            pieces += 1
            if pieces % _ASK_EVERY == 0:
                self._engine.ask()
        if right.tail.goes_on:
            return lex in right.tail.goes_on
        last = lexer.finish(lex)
        return last is not None and stacks.ends(stacks.over(configs, last[:-1]))

    def begins(self, right: SuffixContext, lex: LexState, count: int) -> bool:
        """Whether B can be entered in a lexer state, judged by its first `count` terminals."""
        if self._engine.lexer.asks:
            return self._begins_some_way(right, lex, count)
        tokens = tuple(islice(right.run(lex).all_tokens(self._engine), count))
        ends = END in tokens
        whole = ends or len(tokens) == count or tokens[-1:] == (ANY_TEXT,)
        if ends or tokens[-1:] == (ANY_TEXT,):
            tokens = tokens[:-1]
        anything = self._before(lex)
        if anything is None:
            return False
        configs = (
            self._entered(tokens, self._is_blank(right, lex))
            if self._begins_line(lex)
            else self._over(tokens, anything)
        )
        if configs is None or not ends:
            return configs is not None and whole
        return self._stacks.ends(configs)

    def _begins_some_way(self, right: SuffixContext, lex: LexState, count: int) -> bool:
        """As `begins` where the stacks decide how to go on, for lexers of languages without meaningful lines."""
        over = self._stacks.over
        todo = [(right.run(lex), 0, self._before(lex), count)]
        while todo:
            run, index, configs, left = todo.pop()
            while configs is not None and left:
                if index == len(run.tokens) and not run.more(self._engine):
                    ways = [*run.all_onward()]
                    todo += [
                        (way, position, over(configs, guard) and configs, left)
                        for way, position, guard in reversed(ways)
                    ]
                    break
                token = run.tokens[index]
                if token == ANY_TEXT or (token == END and self._stacks.ends(configs)):
                    return True
                configs, index, left = over(configs, (token,)) if token != END else None, index + 1, left - 1
            if configs is not None and not left:
                return True
        return False

    def _begins_line(self, lex: LexState) -> bool:
        """Whether the state is at the beginning of a line, in a language with meaningful lines."""
        return self._engine.blocks is not None and self._engine.lexer.begins_line(lex)

    def _before(self, lex: LexState) -> ConfigurationSet | None:
        """The stacks B may meet when entered in a lexer state."""
        states = self._beneath(lex) if self._beneath is not None else None
        if states is None:
            return self._anything
        if states not in self._met:
            self._met[states] = self._stacks.topped_by(states if self._states is None else states & self._states)
        return self._met[states]

    def _over(self, tokens: Tokens, anything: ConfigurationSet | None = None) -> ConfigurationSet | None:
        return self._stacks.over(anything or self._anything, tokens)

    def _entered(self, tokens: Tokens, blank: bool) -> ConfigurationSet | None:
        """The stacks after B's first terminals, where it is entered at the beginning of a line.

        blank: B's own first line is blank, so the first Line's columns are B's. Otherwise they are Z's, and only the end of Z's
        logical line is known. Where there is no Line, Z has nothing but blank lines itself.
        """
        if blank and isinstance(next(iter(tokens), None), Line):
            return self._over(tokens)
        return self._stacks.over(self._stacks.line_starts, _without_line(tokens))

    def _is_blank(self, right: SuffixContext, lex: LexState) -> bool:
        """Whether B's first line, entered in this state, is blank or a comment."""
        text = right.tail.text
        begin = len(text) - right.length
        end, _ = next_piece(text, begin)
        after, tokens = self._engine.lexer.step_text(lex, text[begin:end])
        return after is not None and not tokens and text[begin:end].endswith("\n")

    def _viable(
        self, right: SuffixContext, lex: LexState, tokens: Tokens, end: int, at_start: bool, anything: ConfigurationSet
    ) -> bool:
        """Whether B is viable from an offset of the tail, after these terminals.

        at_start: B is entered at the beginning of a line; see `_entered`.

        The result is kept with the tail, by distance to the end, for other ways and other right contexts that meet there.
        """
        engine, lexer, text, stacks = self._engine, self._engine.lexer, right.tail.text, self._stacks
        size, pieces, result = len(text), 0, False
        waits = at_start and not tokens  # for the first terminals; see _entered
        blank = end > size - right.length and text[end - 1] == "\n"
        if at_start and tokens:
            configs = self._entered(tokens, blank=False)
        else:
            configs = self._over(tokens, anything)
        path: list[
            tuple[dict[tuple[int, LexState, ConfigurationSet], bool], tuple[int, LexState, ConfigurationSet]]
        ] = []
        while configs is not None:
            if not waits and (not pieces or (size - end) % _KNOWN_EVERY == 0):
                results, key = right.tail.viable.setdefault((size - end) // BUCKET, {}), (size - end, lex, configs)
                if key in results:
                    result = results[key]
                    break
                path.append((results, key))
            if end == size and right.tail.goes_on:
                result = lex in right.tail.goes_on
                break
            if end == size:
                tokens = lexer.finish(lex) or ()
                last = tokens[:-1]
                if not tokens:
                    break
                result = stacks.ends(self._entered(last, blank) if waits else stacks.over(configs, last))
                break
            begin = lexer.skip_loop(lex, text, end)
            end, is_line = next_piece(text, begin)
            after, tokens = (lexer.step_line if is_line else lexer.step_text)(lex, text[begin:end])
            if after is None:
                if type(tokens) is Choice:
                    result = self._goes_on(right, _Fork(stacks.over(configs, tokens), tokens, size - end))
                break
            if is_line and not waits and self._blocks is not None and not right.tail.goes_on:
                result = self._blocks.is_viable(right, *right.tail.place(lex, size - begin), configs)
                break
            lex = after
            if waits and tokens:
                configs, waits = self._entered(tokens, blank), False
            else:
                configs = (stacks.over_line if is_line else stacks.over)(configs, tokens)
            blank = blank or text[end - 1] == "\n"
            pieces += 1
            if pieces % _ASK_EVERY == 0:
                engine.ask()
        for results, key in path:
            results[key] = result
        return result

    def foresee(self, part: str, whole: SuffixContext, lex: LexState) -> None:
        """Read a whole text as a file's statements, and the lines of a part of it from an unknown stack, so that a right context
        beginning there need not. lex: a lexer state at the beginning of a line.

        The results of lines are kept with the stacks (`over_line`). Two readings entered at different places have different stacks
        until the innermost block around both has ended; so the text is read from the beginning of each block until it meets an
        earlier reading, and again behind each unreadable line. Within lines, only the first terminals are read.
        """
        if self._blocks is not None:
            self._blocks.foresee(whole, lex)
        read = self._terminals(part, lex)
        for tokens in dict.fromkeys(tuple(read[start : start + _FORESEEN]) for start in range(len(read))):
            self._over(tokens)
        lexer, size, lines = self._engine.lexer, len(part), 0
        met: set[tuple[int, LexState, ConfigurationSet]] = set()
        for begin in (0, *_deeper_lines(part)):
            offset, here, configs = begin, lex, None
            while offset < size:
                start = offset
                offset, is_line = next_piece(part, start)
                after, tokens = (lexer.step_line if is_line else lexer.step_text)(here, part[start:offset])
                if after is None:
                    configs = None
                elif configs is None:
                    configs = self._entered(tokens, blank=False) if tokens else None
                else:
                    configs = (self._stacks.over_line if is_line else self._stacks.over)(configs, tokens)
                lines += 1
                if lines % _ASK_EVERY == 0:
                    self._engine.ask()
                here = lex if after is None or (configs is None and tokens) else after
                if configs is None:
                    if begin:
                        break
                    continue
                if (offset, here, configs) in met:
                    break
                met.add((offset, here, configs))

    def _terminals(self, text: str, lex: LexState) -> list[Token]:
        """The terminals of a text, which is read anew behind each unreadable line."""
        lexer, here, offset = self._engine.lexer, lex, 0
        terminals: list[Token] = []
        while offset < len(text):
            start = offset
            offset, is_line = next_piece(text, start)
            after, tokens = (lexer.step_line if is_line else lexer.step_text)(here, text[start:offset])
            here = lex if after is None else after
            terminals += tokens
        return terminals

    def survivors(self, right: SuffixContext, lex: LexState) -> frozenset[int]:
        """The LR states that shift B's first terminal and have some stack below them that takes B's first logical line and the next one."""
        tokens: list[Token] = []
        for token in right.run(lex).all_tokens(self._engine):
            if token == ANY_TEXT:
                break
            tokens.append(token)
            lines = sum(isinstance(t, Line) for t in tokens)
            if len(tokens) == _LOOK or (lines and not any(isinstance(t, Line) for t in tokens[-_LOOK_AFTER_LINE:])):
                break
        outside = self._newline if tokens and isinstance(tokens[0], Line) else next(iter(tokens), END)
        inside = next((t for t in tokens if not isinstance(t, Line)), END)
        alive: set[int] = set()
        stacks, shift = self._stacks, self._engine.factory.tables.shift
        for state, flag in stacks.reach:
            if state not in alive and (inside if flag else outside) in shift[state]:
                self._engine.ask()
                if stacks.over(stacks.on(state, flag), tokens) is not None:
                    alive.add(state)
        return frozenset(alive)


def _without_line(tokens: Tokens) -> Tokens:
    """The terminals without the Line before them."""
    return tokens[isinstance(next(iter(tokens), None), Line) :]


def _follows(earlier: Tokens, tokens: Tokens) -> bool:
    """Whether these are the earlier terminals with others before them. Then they are viable only where the earlier ones are: an
    unknown stack includes those after the others."""
    first = len(tokens) - len(earlier)
    return first >= 0 and tokens[first:] == earlier and not any(isinstance(token, Line) for token in tokens[:first])


def _deeper_lines(text: str) -> Iterator[int]:
    """The beginnings of lines indented deeper than the line before."""
    offset = before = 0
    while offset < len(text):
        end = text.find("\n", offset) + 1 or len(text)
        line = text[offset:end]
        indented = len(line) - len(line.lstrip(" \t"))
        if line.strip():
            if indented > before:
                yield offset
            before = indented
        offset = end
