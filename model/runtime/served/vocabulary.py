"""A server's vocabulary: bytes as reported, encoding by request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ....common.bounded import BoundedDict
from ...errors import ModelError
from ...prompting import fim_template
from ...prompting.vocabulary import KEPT_ENCODINGS, PROBES, Vocabulary
from .options import ServerOptions


class ServedVocabulary(Vocabulary):
    """A vocabulary with another program as encoder."""

    def __init__(
        self,
        bytes_of: Sequence[bytes | None],
        controls: Mapping[str, int],
        encode: Callable[[str], Sequence[int]],
        opening: Sequence[int] = (),
    ) -> None:
        """`bytes_of`: of each token id, None for tokens without text; `controls`: control tokens by name; `encode`: a text into ids, with no
        control tokens; `opening`: ids before every text.
        """
        self.opening = tuple(opening)
        self.ids = dict(controls)
        self.controls = frozenset(controls)
        self.bytes_of = list(bytes_of)
        for token in controls.values():
            self.bytes_of[token] = None
        self._encoder = encode
        self._controls = re.compile(r"(?!)")
        self._encodings = BoundedDict(KEPT_ENCODINGS)
        self._silent = {}
        self._probe()

    def _encode(self, text: str) -> list[int]:
        return list(self._encoder(text)) if text else []


def agree(mine: Vocabulary, theirs: Callable[[str], Sequence[int]]) -> bool:
    """Whether a local vocabulary encodes like a server."""
    return all(list(mine.encode(text)) == list(theirs(text)) for text in PROBES)


def check_size(bytes_of: Sequence[bytes | None]) -> None:
    """Raise ModelError if a server did not report its vocabulary."""
    if sum(spelling is not None for spelling in bytes_of) < 256:
        raise ModelError("the server does not report its vocabulary: name its tokenizer (setting tokenizer)")


def own_vocabulary(options: ServerOptions) -> Vocabulary | None:
    """The vocabulary named by the user; None if there is none."""
    if not options.tokenizer:
        return None
    from ...loading.checkpoint import read_vocabulary

    path = Path(options.tokenizer).expanduser()
    if not path.exists():
        raise ModelError(f"there is no {path}: correct the setting tokenizer")
    return read_vocabulary(path)


def template_of(vocabulary: Vocabulary, options: ServerOptions, ends: Sequence[int] = ()) -> fim_template.Template:
    """The prompt of a server's model, named by the user or implied by the vocabulary; raises ModelError."""
    return fim_template.detect(
        vocabulary.ids,
        family=options.template,
        order=options.order,
        opening=vocabulary.opening,
        ends=ends,
        added=vocabulary.controls,
    )
