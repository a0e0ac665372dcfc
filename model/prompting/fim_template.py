"""Fill-in-the-middle prompts: the places of special tokens, by the vocabulary instead of the model's name.

P is the text before the cursor, S the text after it. A template may know two orders: prefix first (P ... S ...) and suffix first (S ... P
...), whose KV cache survives typing, since only its end changes.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..errors import ModelError

Order = Literal["psm", "spm"]
# The places for prefix, suffix, `path newline`, and a piece of another file with a newline; the rest are tokens' spellings.
P, S, PATH, TEXT = "P", "S", "PATH", "TEXT"
_PLACES = (P, S, PATH, TEXT)


@dataclass(frozen=True, slots=True)
class Family:
    """One row of the table: the prompts of the models with these tokens."""

    name: str
    psm: tuple[str, ...] = ()
    spm: tuple[str, ...] = ()
    order: Order = "psm"  # the default order
    stops: tuple[str, ...] = ()  # besides the model's own end token and the tokens of the template
    marks: tuple[str, ...] = ()  # further tokens that must be there
    lacks: tuple[str, ...] = ()  # tokens that must not be there
    snippet: tuple[str, ...] = ()  # the form of a piece of another file of the repository, before the prompt
    opener: tuple[str, ...] = ()  # the tokens between such pieces and the file's own prompt
    comments: bool = True  # without the tokens of `snippet`, pieces of other files may come as comments
    behind: int = (
        0  # the most tokens of the text before the cursor behind the token for the middle; 0: those of its line
    )

    @property
    def tokens(self) -> tuple[str, ...]:
        """The special tokens of the prompts, in the order of their first appearance."""
        return tuple(dict.fromkeys(part for part in (*self.psm, *self.spm) if part not in _PLACES))


_STAR = ("<fim_prefix>", P, "<fim_suffix>", S, "<fim_middle>")
_PIPE = ("<|fim_prefix|>", P, "<|fim_suffix|>", S, "<|fim_middle|>")
_END = ("<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>")

# The first fitting row is taken: the special ones come before the general ones.
FAMILIES: tuple[Family, ...] = (
    Family(
        "santacoder",
        psm=("<fim-prefix>", P, "<fim-suffix>", S, "<fim-middle>"),
        spm=("<fim-prefix>", "<fim-suffix>", S, "<fim-middle>", P),
        stops=_END,
    ),
    Family(
        # Spelled like StarCoder, which has <filename> too; but only StarCoder has the tokens for GitHub's issues and stars.
        "mellum",
        spm=("<filename>", PATH, "<fim_suffix>", S, "<fim_prefix>", P, "<fim_middle>"),
        order="spm",
        stops=(*_END, "<reponame>"),
        lacks=("<gh_stars>", "<issue_start>", "<file_sep>"),
        snippet=("<filename>", PATH, TEXT),
    ),
    Family(
        "starcoder",  # and StarCoder 2, StableCode, Granite Code, CodeQwen 1.5
        psm=_STAR,
        # The training order of StarCoder 1 and 2; the embedded model names its own.
        spm=("<fim_prefix>", "<fim_suffix>", S, "<fim_middle>", P),
        stops=(*_END, "<file_sep>", "<filename>", "<reponame>", "<repo_name>"),
        # StarCoder 2's own format without names, that of half of its repositories. The one with names begins with the repository's and has
        # the path behind <fim_prefix>.
        snippet=("<file_sep>", TEXT),
        opener=("<file_sep>",),
    ),
    Family(
        "codellama",
        psm=("<PRE>", P, "<SUF>", S, "<MID>"),
        spm=("<PRE>", "<SUF>", S, "<MID>", P),
        order="spm",  # with token healing the better one, by its authors
        stops=("<EOT>", *_END),
    ),
    Family(
        "deepseek",
        psm=("<｜fim▁begin｜>", P, "<｜fim▁hole｜>", S, "<｜fim▁end｜>"),
        stops=("<｜end▁of▁sentence｜>", "<|EOT|>", *_END),
    ),
    Family("codegemma", psm=_PIPE, marks=("<|file_separator|>",), stops=("<|file_separator|>", *_END),
           snippet=(PATH, TEXT, "<|file_separator|>")),
    Family(
        "qwen",  # Qwen2.5-Coder and Granite 4
        psm=_PIPE,
        stops=("<|file_sep|>", "<|repo_name|>", "<|fim_pad|>", "<|im_end|>", "<|cursor|>", *_END),
        snippet=("<|file_sep|>", PATH, TEXT),
        opener=("<|file_sep|>", PATH),
        behind=256,
    ),
    Family("seed", spm=("<[fim-suffix]>", S, "<[fim-prefix]>", P, "<[fim-middle]>"), order="spm",
           stops=("<[end▁of▁sentence]>", *_END)),
    Family("codestral", spm=("<s>", "[SUFFIX]", S, "[PREFIX]", P), order="spm", stops=("[MIDDLE]", *_END)),
)  # fmt: skip

# StarCoder's spelling and a suffix-first prompt of our own: never guessed, a model must ask for it.
SUTURE = Family(
    "suture", psm=_STAR, spm=("<fim_suffix>", S, "<fim_prefix>", P, "<fim_middle>"), order="spm", stops=_END,
    comments=False,  # the file itself is worth more of a small context
)  # fmt: skip

# For base and chat models without fill-in-the-middle: the left context alone. Never guessed either: for a fill-in-the-middle model its own
# prompt is better.
LEFT_ONLY = Family("left", psm=(P,), stops=_END, comments=True)
_NAMED_ONLY = (SUTURE, LEFT_ONLY)

TURN_BEGIN, TURN_END = "<|im_start|>", "<|im_end|>"
"""The marks of a turn in Qwen's chat models (`chat`)."""


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt's shape in token ids."""

    name: str
    order: Order
    parts: tuple[int | str, ...]  # token ids, and the places P, S and PATH
    ends: tuple[int, ...]  # the tokens for the end of the middle
    snippet: tuple[int | str, ...] = ()  # a piece of another file: ids, and the places PATH and TEXT; (): none
    opener: tuple[int | str, ...] = ()  # ids, and the place PATH, between these and the prompt
    comments: bool = True  # without `snippet`, pieces of other files may come as comments
    behind: int = 0  # see Family

    def fill(self, prefix: Sequence[int], suffix: Sequence[int], path: Sequence[int] = ()) -> list[int]:
        """The prompt's token ids."""
        ids: list[int] = []
        for part in self.parts:
            if isinstance(part, int):
                ids.append(part)
            else:
                ids += prefix if part == P else suffix if part == S else path
        return ids

    def fill_snippet(self, path: Sequence[int], text: Sequence[int]) -> list[int]:
        """The ids of a piece of another file, in the model's own tokens for it."""
        return _filled(self.snippet, {PATH: path, TEXT: text})

    def fill_opener(self, path: Sequence[int]) -> list[int]:
        """The ids between pieces of other files and the prompt."""
        return _filled(self.opener, {PATH: path})

    @property
    def overhead(self) -> int:
        """The number of the template's own ids in a prompt."""
        return sum(isinstance(part, int) for part in self.parts)


def _filled(parts: Sequence[int | str], places: Mapping[str, Sequence[int]]) -> list[int]:
    return [i for part in parts for i in ((part,) if isinstance(part, int) else places[part])]


def control_tokens() -> list[str]:
    """The spellings of all tokens in some family's prompt, or at its end."""
    named = dict.fromkeys(
        part
        for family in (*FAMILIES, SUTURE)
        for part in (*family.tokens, *family.stops, *family.marks, *family.lacks, *family.snippet, *family.opener)
    )
    return [part for part in (*named, TURN_BEGIN) if part not in _PLACES]


def detect(
    ids: Mapping[str, int],
    *,
    family: str | None = None,
    order: str | None = None,
    opening: Sequence[int] = (),
    ends: Sequence[int] = (),
    added: Collection[str] | None = None,
) -> Template:
    """The template for a model's vocabulary (spelling to id); raises ModelError where it has no FIM tokens.

    `family` and `order` ("psm" or "spm") override the vocabulary's, `opening` are the ids before every text, `ends` the model's own end
    tokens, `added` the spellings added to the vocabulary: only these mean an end, since others (`</s>` in Qwen's) are text; None: all.
    """
    if order is not None and order not in ("psm", "spm"):
        raise ModelError(f'its prompt order is {order!r}: use "psm" (prefix first) or "spm" (suffix first)')
    for candidate in (*FAMILIES, *_NAMED_ONLY):
        if candidate.name == family if family else candidate not in _NAMED_ONLY and _fits(candidate, ids):
            if not _fits(candidate, ids):
                raise ModelError(
                    f"its vocabulary lacks the tokens of the {family} prompt: leave the prompt to be detected"
                )
            return _build(candidate, ids, order, opening, ends, added)
    if family:
        raise ModelError(
            f"there is no prompt {family!r}: use one of {', '.join(f.name for f in (*FAMILIES, *_NAMED_ONLY))}"
        )
    raise ModelError(
        "it has no fill-in-the-middle tokens: use a model trained for it "
        "(the base model of Qwen2.5-Coder, StarCoder 2, DeepSeek-Coder, CodeGemma and the like), "
        "or let it see the left context alone (--template left)"
    )


def _fits(family: Family, ids: Mapping[str, int]) -> bool:
    needed = (*family.tokens, *family.marks)
    return all(_find(ids, token) is not None for token in needed) and not any(token in ids for token in family.lacks)


def _find(ids: Mapping[str, int], token: str) -> int | None:
    """The id of a special token; SentencePiece vocabularies may have it with the space in front (CodeLlama)."""
    return ids.get(token, ids.get("\u2581" + token))


def _build(
    family: Family,
    ids: Mapping[str, int],
    order: str | None,
    opening: Sequence[int],
    ends: Sequence[int],
    added: Collection[str] | None,
) -> Template:
    chosen: Order = "spm" if (order or family.order) == "spm" and family.spm else "psm" if family.psm else "spm"
    parts = _with_ids(family.spm if chosen == "spm" else family.psm, ids)
    if opening and parts[: len(opening)] != list(opening):
        parts = [*opening, *parts]
    # CodeLlama has its own tokens among the pieces of text, with a space in front.
    named = [token for token in family.stops if added is None or token in added or "\u2581" + token in ids]
    stops = [*ends, *(_find(ids, token) for token in (*named, *family.tokens))]
    has_parts = all(part in _PLACES or _find(ids, part) is not None for part in (*family.snippet, *family.opener))
    return Template(
        family.name,
        chosen,
        tuple(parts),
        tuple(dict.fromkeys(i for i in stops if i is not None)),
        tuple(_with_ids(family.snippet, ids)) if has_parts else (),
        tuple(_with_ids(family.opener, ids)) if has_parts else (),
        family.comments,
        family.behind,
    )


def _with_ids(parts: Sequence[str], ids: Mapping[str, int]) -> list[int | str]:
    """The parts of a prompt with ids for tokens, places unchanged."""
    with_ids: list[int | str] = []
    for part in parts:
        token = None if part in _PLACES else _find(ids, part)
        with_ids.append(part if token is None else token)
    return with_ids
