"""A GGUF file as a model: llama.cpp runs it in a child of ours, drafts come over loopback (`child`, `runtime`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...errors import ServerHangs, ServerUnavailable
from ...loading import memory
from ...loading.gguf import FAMILY_KEY, ORDER_KEY, read_gguf
from ...loading.gguf_vocabulary import local_vocabulary, tokens_of
from ...prompting import fim_template
from ...prompting.chat import is_tuned
from ...prompting.vocabulary import Vocabulary
from ..base import Model
from .bounds import most_memory, prompts_kept
from .child import CACHE_MIB, Child, ChildSettings, usable_threads
from .connect import tokenized
from .llama_cpp import LlamaCpp
from .reading import ReadingSpeed
from .runtime import ServedRuntime
from .transport import Transport
from .vocabulary import ServedVocabulary, agree

_ROOM = 1024  # tokens in the cache besides the context: the template's, the text's, other files' pieces
_LEAST_CACHE = 4096
_MOST_CONTEXT = 2048  # tokens
_SLOW_MS = 1.0  # per token: from here on prompts are made to reread little
_SAMPLED, _PIECES = 32, 3  # tokens of a prompt timed at once, and the number of timings
_SAMPLE = "def first_of(values, default=None):\n    for number, value in enumerate(values):\n        return value\n" * 8


class OwnLlamaCpp(LlamaCpp):
    """llama.cpp's server as a child, restarted when it has ended."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self._key = child.key
        super().__init__(Transport(child.address, key=child.key))

    def recover(self, problem: ServerUnavailable) -> None:
        """Restart the child if it has ended or hangs."""
        self.child.revive(hangs=isinstance(problem, ServerHangs))
        if self._key != self.child.key:
            self.transport.close()
            self._key = self.child.key
            self.transport = Transport(self.child.address, key=self.child.key)

    def close(self) -> None:
        """End the child."""
        super().close()
        self.child.stop()


def load_gguf(
    path: Path,
    name: str,
    *,
    device: str = "auto",
    threads: int | None = None,
    context: int | None = None,
    template: str | None = None,
    order: str | None = None,
) -> Model:
    """Run a file; `device`: "cpu" leaves GPUs alone; `context`: tokens of left and right context together."""
    gguf = read_gguf(path)
    tokens = tokens_of(gguf)
    memory.check_room(int(gguf.bytes * 1.15), "cpu" if device == "cpu" else "auto")
    wanted = context or _MOST_CONTEXT
    limit = min(gguf.context, max(_LEAST_CACHE, wanted + _ROOM))
    settings = ChildSettings(
        path.resolve(),
        limit,
        usable_threads(threads),
        gpu_layers=0 if device == "cpu" else None,
        memory=most_memory(gguf, limit, CACHE_MIB),
    )
    child = Child(settings)
    child.start()
    server = OwnLlamaCpp(child)
    try:
        vocabulary: Vocabulary | None = local_vocabulary(tokens)

        def asked(text: str) -> Sequence[int]:
            return tokenized(server.transport, text, special=False)

        if vocabulary is None or not agree(vocabulary, asked):
            vocabulary = ServedVocabulary(tokens.bytes_of(), tokens.controls, asked, tokens.opening)
        family = fim_template.detect(
            vocabulary.ids,
            family=template or gguf.text(FAMILY_KEY),
            order=order or gguf.text(ORDER_KEY),
            opening=vocabulary.opening,
            ends=gguf.ends,
            added=vocabulary.controls,
        )
    except BaseException:
        server.close()
        raise
    try:
        speed_ms = _prompt_speed(server, vocabulary)
    except BaseException:
        server.close()
        raise
    reading = ReadingSpeed(speed_ms, context)
    size, kept = len(tokens.pieces), prompts_kept(gguf, reading.whole, CACHE_MIB)
    runtime = ServedRuntime(server, size=size, limit=limit, device="llama.cpp", reading=reading, kept=kept)
    used = child.settings.threads
    described = f"{gguf.architecture}, {gguf.parameters / 1e6:,.1f} M parameters, {gguf.stored}"
    described += f", llama.cpp with {used} thread{'s' if used > 1 else ''}, {speed_ms:.1f} ms a token of a prompt"
    slow = speed_ms > _SLOW_MS
    wanted = min(reading.whole, limit)
    answers = template is None and is_tuned(path.name, gguf.name)
    return Model(name, runtime, vocabulary, family, wanted, described, served=runtime, answers=answers, line_last=slow)


def _prompt_speed(server: OwnLlamaCpp, vocabulary: Vocabulary) -> float:
    """Milliseconds per prompt token read here, at best: other work on the machine may end."""
    ids = list(vocabulary.encode(_SAMPLE))[: 8 + _PIECES * _SAMPLED]
    server.read(ids[:8])  # the weights come from the disk
    return min(server.read(ids[:end]) for end in range(8 + _SAMPLED, len(ids) + 1, _SAMPLED))
