"""Fill-in-the-middle prompts: which special tokens stand where, told by the vocabulary and not by the model's name.

P is the text before the cursor, S the text after it. A template may know two orders: prefix first (P ... S ...) and suffix
first (S ... P ...), whose key-value cache survives typing, since only its end changes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .errors import ModelError

Order = Literal["psm", "spm"]
P, S, PATH = "P", "S", "PATH"  # the places for prefix, suffix and `path newline`; all else is a token's spelling


@dataclass(frozen=True, slots=True)
class Family:
    """One row of the table: how the models that know these tokens are asked."""

    name: str
    psm: tuple[str, ...] = ()
    spm: tuple[str, ...] = ()
    order: Order = "psm"  # the order to use when the model does not say
    stops: tuple[str, ...] = ()  # besides the model's own end token and the tokens of the template
    marks: tuple[str, ...] = ()  # tokens that must also be there
    lacks: tuple[str, ...] = ()  # tokens that must not be there

    @property
    def tokens(self) -> tuple[str, ...]:
        """The special tokens of the prompts, in the order of their first appearance."""
        return tuple(dict.fromkeys(part for part in (*self.psm, *self.spm) if part not in (P, S, PATH)))


_STAR = ("<fim_prefix>", P, "<fim_suffix>", S, "<fim_middle>")
_PIPE = ("<|fim_prefix|>", P, "<|fim_suffix|>", S, "<|fim_middle|>")
_END = ("<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>")

# The first row that fits is taken: the special ones come before the general ones.
FAMILIES: tuple[Family, ...] = (
    Family(
        "santacoder",
        psm=("<fim-prefix>", P, "<fim-suffix>", S, "<fim-middle>"),
        spm=("<fim-prefix>", "<fim-suffix>", S, "<fim-middle>", P),
        stops=_END,
    ),
    Family(
        # Spelled as StarCoder. StarCoder has <filename> too, but only it has the tokens for GitHub's issues and stars.
        "mellum",
        spm=("<filename>", PATH, "<fim_suffix>", S, "<fim_prefix>", P, "<fim_middle>"),
        order="spm",
        stops=(*_END, "<reponame>"),
        lacks=("<gh_stars>", "<issue_start>", "<file_sep>"),
    ),
    Family(
        "starcoder",  # and StarCoder 2, StableCode, Granite Code, CodeQwen 1.5
        psm=_STAR,
        # How StarCoder 1 and 2 were trained; the embedded model names its own order.
        spm=("<fim_prefix>", "<fim_suffix>", S, "<fim_middle>", P),
        stops=(*_END, "<file_sep>", "<filename>", "<reponame>", "<repo_name>"),
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
    Family("codegemma", psm=_PIPE, marks=("<|file_separator|>",), stops=("<|file_separator|>", *_END)),
    Family(
        "qwen",  # Qwen2.5-Coder and Granite 4
        psm=_PIPE,
        stops=("<|file_sep|>", "<|repo_name|>", "<|fim_pad|>", "<|im_end|>", "<|cursor|>", *_END),
    ),
    Family("seed", spm=("<[fim-suffix]>", S, "<[fim-prefix]>", P, "<[fim-middle]>"), order="spm",
           stops=("<[end▁of▁sentence]>", *_END)),
    Family("codestral", spm=("<s>", "[SUFFIX]", S, "[PREFIX]", P), order="spm", stops=("[MIDDLE]", *_END)),
)  # fmt: skip

# StarCoder's spelling and an own suffix-first prompt: never guessed, a model must say that it is asked in this way.
SUTURE = Family(
    "suture", psm=_STAR, spm=("<fim_suffix>", S, "<fim_prefix>", P, "<fim_middle>"), order="spm", stops=_END
)


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt's shape in token ids."""

    name: str
    order: Order
    parts: tuple[int | str, ...]  # token ids, and the places P, S and PATH
    ends: tuple[int, ...]  # the tokens that mean: here ends the middle

    def fill(self, prefix: Sequence[int], suffix: Sequence[int], path: Sequence[int] = ()) -> list[int]:
        """The prompt's token ids."""
        ids: list[int] = []
        for part in self.parts:
            if isinstance(part, int):
                ids.append(part)
            else:
                ids += prefix if part == P else suffix if part == S else path
        return ids

    @property
    def overhead(self) -> int:
        """How many ids of a prompt are the template's own."""
        return sum(isinstance(part, int) for part in self.parts)


def detect(
    ids: Mapping[str, int],
    *,
    family: str | None = None,
    order: str | None = None,
    opening: Sequence[int] = (),
    ends: Sequence[int] = (),
) -> Template:
    """The template of the model that has this vocabulary (spelling to id); ModelError when it knows no FIM.

    `family` and `order` ("psm" or "spm") override what the vocabulary tells, `opening` are ids that stand before every
    text, `ends` the model's own end tokens.
    """
    if order is not None and order not in ("psm", "spm"):
        raise ModelError(f'its prompt order is {order!r}: use "psm" (prefix first) or "spm" (suffix first)')
    for candidate in (*FAMILIES, SUTURE):
        if candidate.name == family if family else candidate is not SUTURE and _fits(candidate, ids):
            if not _fits(candidate, ids):
                raise ModelError(
                    f"its vocabulary lacks the tokens of the {family} prompt: leave the prompt to be detected"
                )
            return _build(candidate, ids, order, opening, ends)
    if family:
        raise ModelError(f"there is no prompt {family!r}: use one of {', '.join(f.name for f in (*FAMILIES, SUTURE))}")
    raise ModelError(
        "it has no fill-in-the-middle tokens: use a model trained for it "
        "(the base model of Qwen2.5-Coder, StarCoder 2, DeepSeek-Coder, CodeGemma and the like)"
    )


def _fits(family: Family, ids: Mapping[str, int]) -> bool:
    needed = (*family.tokens, *family.marks)
    return all(_find(ids, token) is not None for token in needed) and not any(token in ids for token in family.lacks)


def _find(ids: Mapping[str, int], token: str) -> int | None:
    """The id of a special token; SentencePiece vocabularies may have it with the space in front (CodeLlama)."""
    return ids.get(token, ids.get("\u2581" + token))


def _build(
    family: Family, ids: Mapping[str, int], order: str | None, opening: Sequence[int], ends: Sequence[int]
) -> Template:
    chosen: Order = "spm" if (order or family.order) == "spm" and family.spm else "psm" if family.psm else "spm"
    parts: list[int | str] = []
    for part in family.spm if chosen == "spm" else family.psm:
        token = None if part in (P, S, PATH) else _find(ids, part)
        parts.append(part if token is None else token)
    if opening and parts[: len(opening)] != list(opening):
        parts = [*opening, *parts]
    stops = [*ends, *(_find(ids, token) for token in (*family.stops, *family.tokens))]
    return Template(family.name, chosen, tuple(parts), tuple(dict.fromkeys(i for i in stops if i is not None)))
