"""From a cursor in a file to a prompt: the context window and the healed token.

The window fills a budget of tokens from both sides. Both of its far ends lie at line borders and move only in jumps, so that
from one keystroke to the next the prompt stays the same but for its end, and the cached keys and values are reused.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .completion import Snippet
from .runtime import Model
from .templates import PATH
from .vocabulary import Vocabulary

RIGHT_SHARE = 3 / 8  # of the budget, when both sides have more than enough
_JUMPS = 8  # the far ends move by this fraction of the budget
_CHARS_PER_TOKEN = 6  # more text than this for a token of budget is never looked at


@dataclass(frozen=True, slots=True)
class Prompt:
    """Token ids to continue, and the bytes that the continuation must start with."""

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
) -> Prompt:
    """The prompt for the hole between `left` and `right`, with up to `budget` tokens of context."""
    vocabulary, template = model.vocabulary, model.template
    prefix, suffix = window(vocabulary, left, right, budget)
    forced = b""
    if heal and prefix:
        prefix, forced = _heal(vocabulary, prefix)
    named = vocabulary.encode((path or "") + "\n") if PATH in template.parts else ()
    return Prompt(template.fill(prefix, suffix, named), forced)


def window(vocabulary: Vocabulary, left: str, right: str, budget: int) -> tuple[Sequence[int], Sequence[int]]:
    """The ids of as much of `left` (its end) and `right` (its start) as fits, cut at line borders."""
    jump = max(1, budget // _JUMPS)
    left = _last_lines(left, budget, jump * _CHARS_PER_TOKEN)
    right = right[: budget * _CHARS_PER_TOKEN]
    before, after = vocabulary.encode(left), vocabulary.encode(right)
    # The right side may have what the left one leaves, counted in jumps: the suffix must not move with each letter typed.
    room = max(int(budget * RIGHT_SHARE), budget - jump * -(-len(before) // jump))
    if len(after) > room:
        after = _first_tokens(vocabulary, right, after, room)
    if len(before) > budget - len(after):
        surplus = len(before) - (budget - len(after))
        before = _last_tokens(vocabulary, left, before, jump * -(-surplus // jump))
    return before, after


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
    if border <= len(kept) // 2:  # one long line: a cut in it is better than nothing
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
    """Take the last token back: its text may be only the beginning of the token that the model would write.

    Not after a line's end, where a token begins anyway.
    """
    last = vocabulary.bytes_of[prefix[-1]] or b""
    if last.endswith((b"\n", b"\r")):
        return prefix, b""
    return prefix[:-1], last
