"""From a cursor in a file to a prompt: the context window and the healed token.

The window fills a budget of tokens from both sides. Its far ends lie at line borders and move only in jumps, so that between keystrokes only
the prompt's end changes, and the KV cache is reused. The headers around the cursor, a docstring and imports come before a window that begins
below them (`outline`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...common.line_ends import line_start
from ...common.words import compiled
from ..decoding.types import Snippet
from ..runtime.base import Model
from .anchors import anchor, middle_start
from .fim_template import PATH, S
from .outline import column_of, outline_text
from .vocabulary import Vocabulary

RIGHT_SHARE = 3 / 8  # of the budget, where both sides have more than enough
SNIPPETS_SHARE = 1 / 4  # of the budget, for pieces of other files, at most
_PATH_SHARE = 1 / 8  # of the budget: a longer path is left out
_JUMPS = 8  # the far ends move by this fraction of the budget
_CHARS_PER_TOKEN = 6  # for a token of budget, more text is never read
MOST_OUTLINE = 128  # tokens before a window
_SETTLING = 3  # attempts at a window and its outline
_MOST_TAKEN_BACK = 8  # tokens; a word's own token is seldom cut into more than three
_CUT_WORD = compiled(r"[^\r\n]?\w+")


@dataclass(frozen=True, slots=True)
class Prompt:
    """Token ids to continue, and the forced bytes at the continuation's start."""

    ids: list[int]
    forced: bytes = b""


def build(
    model: Model,
    left: str,
    right: str,
    *,
    budget: int,
    heal: bool = True,
    path: str | None = None,
    snippets: Sequence[Snippet] = (),
    spare: int = 0,
    outlined: bool = True,
    written: int = 0,
    limit: int = 0,
    pauses: bool = False,
) -> Prompt:
    """The prompt for the hole between `left` and `right`, with up to `budget` tokens of context: path and snippets included.

    `spare`: additional tokens for the outline above the window; without them it gets a quarter of the window. `written`: characters at the
    end of `left` written by the model itself, to be continued. `limit`: tokens of the longest prompt with an anchor. pauses: nobody waits, so
    an anchor may be moved (`anchors`).
    """
    vocabulary, template = model.vocabulary, model.template
    seen = right if S in template.parts else ""
    behind = template.behind if _ends_with_middle(model) and seen.strip() else 0
    shape = template, budget, spare, path, outlined
    if behind:
        whole = limit or budget + spare + behind + template.overhead
        serving = model.anchors.serving(shape, vocabulary, left, seen, behind, whole, pauses=pauses)
        kept = model.anchors.best(serving, model.unread)
        if kept is not None:
            return _prompt(vocabulary, kept.anchor.ids, kept.tail, heal)
    named = vocabulary.encode(path + "\n") if path and PATH in (*template.parts, *template.opener) else ()
    if len(named) > budget * _PATH_SHARE:
        named = ()
    before, header = _of_other_files(model, snippets, named, int(budget * SNIPPETS_SHARE))
    taken = len(before) + len(header) + (len(named) if PATH in template.parts else 0)
    room = max(1, budget - taken)
    start = _middle_start(model, left, room, written, behind)
    above = left[:start]
    tail = vocabulary.encode(left[len(above) :])
    if start is not None:  # in jumps: the text before the middle must not move with each typed letter
        jump = max(1, budget // _JUMPS)
        room = max(1, room - jump * max(1, -(-len(tail) // jump)))
    prefix, suffix = window(vocabulary, above, seen, room)
    pinned: Sequence[int] = ()
    if outlined:
        pinned, prefix = _with_outline(vocabulary, left, above, prefix, right[: room * _CHARS_PER_TOKEN], room, spare)
    forced = b""
    if heal and not tail and prefix:
        prefix, forced = _heal(vocabulary, prefix)
    ids = _beginning(model, before, [*header, *pinned, *prefix], suffix, named)
    if behind and start is not None:
        shown, below = (vocabulary.decode(part).decode(errors="ignore") for part in (prefix, suffix))
        model.anchors.keep(anchor(shape, ids, above, len(shown), seen, below))
    return _prompt(vocabulary, ids, tail, heal) if tail else Prompt(ids, forced)


def _prompt(vocabulary: Vocabulary, ids: Sequence[int], tail: Sequence[int], heal: bool) -> Prompt:
    """The prompt of a beginning and the text behind it."""
    tail, forced = _heal(vocabulary, tail) if heal and tail else (tail, b"")
    return Prompt([*ids, *tail], forced)


def _beginning(
    model: Model, before: Sequence[int], prefix: Sequence[int], suffix: Sequence[int], named: Sequence[int]
) -> list[int]:
    """The ids of a prompt up to the token for the middle, pieces of other files (`before`) first."""
    vocabulary, template = model.vocabulary, model.template
    own = named if named or PATH not in template.parts else vocabulary.encode("\n")
    ids = template.fill(prefix, suffix, own)
    opening = len(vocabulary.opening) if before and tuple(ids[:1]) == vocabulary.opening[:1] else 0
    return [*ids[:opening], *before, *ids[opening:]]


def _ends_with_middle(model: Model) -> bool:
    """Whether the text before the cursor may stand behind the token for the middle."""
    parts = model.template.parts
    return model.line_last and model.template.order == "psm" and bool(parts) and isinstance(parts[-1], int)


def _middle_start(model: Model, left: str, room: int, written: int, behind: int) -> int | None:
    """The offset of the text behind the token for the middle; None without any.

    The middle begins at the start of a line, as in the training data: of the cursor's line, or of the first line written by the model; in
    families that profit from up to `behind` tokens there, of one some lines above it.
    """
    if not _ends_with_middle(model):
        return None
    line, most = line_start(left[: len(left) - written]), room // 2
    if len(left) - line > room and len(model.vocabulary.encode(left[line:])) > most:
        return None
    return middle_start(model.vocabulary, left, line, min(most, behind // 2)) if behind else line


def _of_other_files(
    model: Model, snippets: Sequence[Snippet], path: Sequence[int], room: int
) -> tuple[Sequence[int], Sequence[int]]:
    """Pieces of other files as ids before the prompt, or as ids of comments at the start of the prefix; the best one last."""
    vocabulary, template = model.vocabulary, model.template
    if not snippets or not (template.snippet or template.comments):
        return (), ()
    pieces: list[Sequence[int]] = []
    room -= len(template.fill_opener(path))
    for snippet in snippets:
        if not template.snippet and not snippet.comment:
            continue
        if template.snippet:
            text = vocabulary.encode(snippet.text.rstrip("\n") + "\n")
            piece = template.fill_snippet(vocabulary.encode(snippet.path + "\n"), text)
        else:
            piece = vocabulary.encode(_commented(snippet))
        if len(piece) <= room:
            pieces.append(piece)
            room -= len(piece)
    ids = [i for piece in reversed(pieces) for i in piece]
    if not ids or not template.snippet:
        return (), ids
    return [*ids, *template.fill_opener(path)], ()


def _commented(snippet: Snippet) -> str:
    """A piece of another file as comments, without effect on the file around it."""
    return "".join(
        f"{snippet.comment} {line}".rstrip() + "\n" for line in (snippet.path, *snippet.text.rstrip("\n").split("\n"))
    )


def window(vocabulary: Vocabulary, left: str, right: str, budget: int) -> tuple[Sequence[int], Sequence[int]]:
    """The ids of the fitting parts of `left` (its end) and `right` (its start), cut at line borders."""
    jump = max(1, budget // _JUMPS)
    left = _last_lines(left, budget, jump * _CHARS_PER_TOKEN)
    right = right[: budget * _CHARS_PER_TOKEN]
    before, after = vocabulary.encode(left), vocabulary.encode(right)
    # The right side gets the left one's rest, in jumps: the suffix must not move with each typed letter.
    room = max(int(budget * RIGHT_SHARE), budget - jump * -(-len(before) // jump))
    if len(after) > room:
        after = _first_tokens(vocabulary, right, after, room)
    if len(before) > budget - len(after):
        surplus = len(before) - (budget - len(after))
        before = _last_tokens(vocabulary, left, before, jump * -(-surplus // jump))
    return before, after


def _with_outline(
    vocabulary: Vocabulary, left: str, above: str, prefix: Sequence[int], right: str, room: int, spare: int
) -> tuple[Sequence[int], Sequence[int]]:
    """The ids of the outline above the window, and the prefix, shortened in jumps."""
    whole, jump = vocabulary.decode(prefix).decode(errors="ignore"), max(1, room // _JUMPS)
    kept, pinned, start = prefix, (), len(above) - len(whole)
    if start <= 0 or not prefix:
        return (), prefix
    line, most = line_start(left), min(MOST_OUTLINE, room // 4 + spare)
    for _ in range(_SETTLING):  # lines cut from the prefix may be part of the outline
        pinned = _outline(vocabulary, left, line, start, right, most)
        surplus = len(pinned) - spare
        kept = _last_tokens(vocabulary, whole, prefix, jump * -(-surplus // jump)) if surplus > 0 else prefix
        before, start = start, len(above) - len(vocabulary.decode(kept).decode(errors="ignore"))
        if start == before:
            break
    return pinned, kept


def _outline(vocabulary: Vocabulary, left: str, line: int, start: int, right: str, most: int) -> Sequence[int]:
    """The ids of the outline left of `start`, at most `most`; stable while a line is typed."""
    for chars in (
        4 * most,
        3 * most,
        2 * most,
        most,
        most // 2,
    ):  # of one token each at least, and mostly three or four
        ids = vocabulary.encode(outline_text(left[:line], _column(left, line), start, right, chars))
        if len(ids) <= most:
            return ids
    return ()


def _column(left: str, line: int) -> int:
    """The indentation of the cursor's line, in an empty line the expected one."""
    typed = left[line:]
    if typed:
        return column_of(typed)
    last = left.rstrip()
    return column_of(last[line_start(last) :]) + last.endswith((":", "{", "(", "["))


def _last_lines(text: str, budget: int, jump: int) -> str:
    """The end of `text`, with more characters than the budget can hold, starting at a line."""
    surplus = len(text) - budget * _CHARS_PER_TOKEN
    if surplus <= 0:
        return text
    start = jump * -(-surplus // jump)
    line = text.find("\n", start) + 1
    return text[line if line and line < start + jump else start :]


def _first_tokens(vocabulary: Vocabulary, text: str, ids: Sequence[int], room: int) -> Sequence[int]:
    kept = vocabulary.decode(ids[:room]).decode(errors="ignore")
    border = kept.rfind("\n") + 1
    if border <= len(kept) // 2:  # one long line: better cut than dropped
        return ids[:room]
    shorter = vocabulary.encode(text[:border])
    return shorter if len(shorter) <= room else ids[:room]


def _last_tokens(vocabulary: Vocabulary, text: str, ids: Sequence[int], surplus: int) -> Sequence[int]:
    dropped = len(vocabulary.decode(ids[:surplus]).decode(errors="ignore"))
    border = text.find("\n", dropped) + 1
    if not border or border > (dropped + len(text)) // 2:
        return ids[surplus:]
    shorter = vocabulary.encode(text[border:])
    return shorter if len(shorter) <= len(ids) - surplus else ids[surplus:]


def _heal(vocabulary: Vocabulary, prefix: Sequence[int]) -> tuple[Sequence[int], bytes]:
    """Heal the end: take back the last tokens, since their text may be only the beginning of the model's own token.

    A cut word is often spelled in several tokens, none of them a beginning of the whole word's token: `retu` as `ret` and `u`. After a line's
    end a token begins anyway, and nothing is taken back. Of blanks, only those sharing a token with a word behind them are: where words
    include the blank before them, an indentation of four is spelled as three and ` return`.
    """
    last = vocabulary.bytes_of[prefix[-1]] or b""
    if last.endswith((b"\n", b"\r")):
        return prefix, b""
    if not last.isspace():
        count = _tokens_of_a_beginning(vocabulary, prefix)
        return prefix[:-count], vocabulary.decode(prefix[-count:])
    kept: list[int] = []
    spelled = b""
    for token in vocabulary.encode(last.decode() + "x") if len(last) > 1 else ():
        longer = spelled + (vocabulary.bytes_of[token] or b"")
        if len(longer) >= len(last) or not last.startswith(longer):
            break
        kept, spelled = [*kept, token], longer
    return [*prefix[:-1], *kept], last[len(spelled) :]


def _tokens_of_a_beginning(vocabulary: Vocabulary, prefix: Sequence[int]) -> int:
    """The number of tokens at the end that spell the beginning of a longer one, in a word with the sign or blank before it; at least 1."""
    count = 1
    for taken in range(2, min(len(prefix), _MOST_TAKEN_BACK) + 1):
        spelled = vocabulary.decode(prefix[-taken:])
        if _CUT_WORD.fullmatch(spelled.decode(errors="replace")) is None:
            break
        if any(vocabulary.bytes_of[token] != spelled for token in vocabulary.starting_with(spelled)):
            count = taken
    return count
