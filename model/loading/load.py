"""From a folder, file, hub name or server's address to a running model: safetensors and GGUF only, no code of the model's own.

The network is used only at the user's request: for a download, or for a named server.

Each failure raises a ModelError of one line with the remedy.
"""

import sys
from dataclasses import replace
from pathlib import Path

from ...common import untrusted
from ...common.values import DEVICE
from ..cache_lm.mixture import FILE, Copier, CopyingRuntime, DraftingRuntime, LanguageMixture, load_gate
from ..calibration import FILE as CERTAINTY
from ..calibration import load_certainty
from ..errors import ModelError, OutOfMemory, ServerUnavailable
from ..name_lm import votes as name_votes
from ..ngram_lm import backoff, votes
from ..ngram_lm.votes import NgramVoter
from ..prompting.chat import is_tuned
from ..runtime import llama
from ..runtime.base import Model, Runtime
from ..runtime.served.options import NO_OPTIONS, ServerOptions, is_address
from ..vote_gate import VoteGate
from . import installed, presets
from .checkpoint import Contents, read_folder
from .find import EMBEDDED, EMBEDDED_NAME, find_model
from .gguf import read_gguf
from .memory import check_room, needed
from .weights import EIGHT_BITS

_CPU_CONTEXT = 1024  # tokens of context read by a model on the CPU within a typist's patience
_GPU_CONTEXT = 4096
_GPU_ROOM = 1024  # tokens besides, on an NVIDIA GPU, where the KV cache is allocated at its full size
_SMALL_BYTES = 200_000_000  # of stored weights: below it, a GPU or 16-bit number types gain nothing


def load(
    name_or_path: str | None = None,
    *,
    device: str = "auto",
    dtype: str = "auto",
    offline: bool = True,
    revision: str | None = None,
    template: str | None = None,
    order: str | None = None,
    threads: int | None = None,
    context: int | None = None,
    copying: bool | None = None,
    server: ServerOptions = NO_OPTIONS,
) -> Model:
    """Load a model from a folder or a GGUF file, by its hub name, or from a server; None is the embedded one.

    `device`: "auto" takes cuda, mps, cpu in this order, and the CPU where the model does not fit (`Model.notice` says so).
    `dtype`: "auto", "float32", "bfloat16", "float16". `offline`: a hub name (or a preset's, see `presets`) is looked up in the local cache
    only. `revision`: branch, tag or commit of a hub name. `template` and `order`: override the detected prompt (see `fim_template`).
    `threads`: cores used on the CPU. `copying`: mix in the document's own predictions (`mixture`); None: where the model has weights for it;
    the embedded one does, and others borrow them. `context`: tokens of left and right context together; None: as many as the device reads in
    time. `server`: the options of requests, where the name is an address such as `http://127.0.0.1:8000/v1#name`.
    """
    name = name_or_path or EMBEDDED_NAME
    try:
        if is_address(name):
            from ..runtime.served.connect import connect

            model = connect(name, replace(server, template=template, order=order), context=context)
            return _with_preset(model, name.partition("#")[2])
        if not DEVICE.holds(device):
            raise ModelError(f"there is no device {device!r}: use {DEVICE.words}")
        folder = find_model(name_or_path, offline=offline, revision=revision)
        if folder.is_file():
            from ..runtime.served.gguf import load_gguf

            model = load_gguf(
                folder, name, device=device, threads=threads, context=context, template=template, order=order
            )
            return _with_preset(model, name, folder.name, read_gguf(folder).name)
        model = _load(
            folder, name, device=device, dtype=dtype, template=template, order=order, threads=threads, context=context
        )
        if untrusted.exists(folder / CERTAINTY):
            model = replace(model, certainty=load_certainty(folder))
        else:
            model = _with_preset(model, name)
        if context is not None:
            model = replace(model, context_tokens=min(context, model.runtime.limit))
        if copying or (copying is None and untrusted.exists(folder / FILE)):
            return _with_copying(model, folder)
        return _with_drafts(model) if model.runtime.device == "cuda" else model
    except ModelError as error:
        kind = ServerUnavailable if isinstance(error, ServerUnavailable) else ModelError
        raise kind(f"cannot use the model {name}: {error}") from error.__cause__


def _with_preset(model: Model, *names: str) -> Model:
    """A model with the known facts of its preset, if one of its names has one."""
    preset = presets.known(*names)
    return model if preset is None else replace(model, certainty=preset.certainty)


def _load(
    folder: Path,
    name: str,
    *,
    device: str,
    dtype: str,
    template: str | None,
    order: str | None,
    threads: int | None,
    context: int | None,
) -> Model:
    contents = read_folder(folder, template=template, order=order)

    notice = ""
    if _runs_on_numpy(contents, device, dtype):
        check_room(needed(contents.weights.parameters, 4), "cpu")
        folder, config = contents.folder, contents.config
        runtime, description = llama.load(folder, config, limit=contents.limit, threads=threads)
    else:
        if contents.config.get(EIGHT_BITS):
            raise ModelError("its weights of 8 bits run on the CPU in float32 alone: use --device cpu")
        if not installed.has("torch"):
            what = "a safetensors model" if device in ("auto", "cpu") else f"the device {device}"
            raise ModelError(f"{what} needs PyTorch: {installed.missing('torch')}")
        from ..runtime.factory import choose_device  # imports torch

        chosen = choose_device(device)
        try:
            runtime, description = _start(contents, chosen, dtype, threads, (context or _GPU_CONTEXT) + _GPU_ROOM)
        except OutOfMemory as problem:
            if device != "auto" or chosen == "cpu":
                raise
            notice = f"the model {name} runs on the CPU (slower): on {chosen} {problem}"
            runtime, description = _start(contents, "cpu", dtype, threads)
    slow = runtime.device == "cpu"  # rereading a suffix at each key costs seconds there
    usual = min(_CPU_CONTEXT if slow else _GPU_CONTEXT, runtime.limit)
    return Model(
        name,
        runtime,
        contents.vocabulary,
        contents.template,
        usual,
        description,
        notice,
        answers=template is None and is_tuned(name, folder.name),
        line_last=slow,
    )


def _runs_on_numpy(contents: Contents, device: str, dtype: str) -> bool:
    """Whether a model is a plain Llama for the CPU that is small, or that nothing else here can run."""
    plain = device in ("auto", "cpu") and dtype in ("auto", "float32") and llama.fits(contents.config)
    return plain and (contents.weights.bytes <= _SMALL_BYTES or not installed.has("torch"))


def _with_drafts(model: Model) -> Model:
    """A model with speculative decoding from the document: on a GPU a step of some tokens takes as long as a step of one."""
    copier = Copier(model.vocabulary, model.runtime.size, model.template.ends)
    return replace(model, runtime=DraftingRuntime(model.runtime, copier), reader=copier)


def _with_copying(model: Model, folder: Path) -> Model:
    gate = load_gate(folder / FILE if untrusted.exists(folder / FILE) else EMBEDDED / FILE)
    voter, ngram_gate = _ngrams(model, folder)
    languages: dict[str, LanguageMixture] = {}
    for own in sorted(folder.glob(in_language(FILE, "*"))):
        names = own.name.split(".")[1]
        if untrusted.exists(own):
            languages |= dict.fromkeys(
                names.split("+"), LanguageMixture(load_gate(own), *_ngrams(model, folder, names))
            )
    copier = Copier(model.vocabulary, model.runtime.size, model.template.ends, voter, languages)
    names = folder / name_votes.FILE
    name_gate = name_votes.load_name_gate(names) if untrusted.exists(names) else None
    runtime = CopyingRuntime(model.runtime, copier, gate, ngram_gate, name_gate)
    return replace(model, runtime=runtime, reader=copier)


def in_language(file: str, language: str) -> str:
    """The name of a file beside the weights for documents in one language, `copying.go.json`, or in several, `copying.a+b.json`."""
    stem, suffix = file.split(".")
    return f"{stem}.{language}.{suffix}" if language else file


def _ngrams(model: Model, folder: Path, language: str = "") -> tuple[NgramVoter | None, VoteGate | None]:
    """The n-gram model beside the weights, and its gate; None where absent. It is for this vocabulary alone."""
    table, gate = folder / in_language(backoff.FILE, language), folder / in_language(votes.FILE, language)
    if not (untrusted.exists(table) and untrusted.exists(gate)):
        return None, None
    ngrams = backoff.load_backoff(table, model.vocabulary, model.runtime.size)
    return NgramVoter(ngrams, model.vocabulary), votes.load_ngram_gate(gate)


def _start(
    contents: Contents, device: str, dtype: str, threads: int | None, window: int = sys.maxsize
) -> tuple[Runtime, str]:
    """The runtime and a line about it; `window`: the longest sequence needed on an NVIDIA GPU."""
    from ..runtime.factory import choose_dtype, start

    folder, config, weights = contents.folder, contents.config, contents.weights
    number_type = choose_dtype(dtype, device, folder, config)
    stored = weights.bytes / max(1, weights.parameters)
    width = stored if isinstance(number_type, str) else number_type.itemsize
    check_room(needed(weights.parameters, width), device)
    limit = min(contents.limit, window) if device.startswith("cuda") else contents.limit
    return start(folder, config, size=contents.size, limit=limit, device=device, dtype=dtype, threads=threads)
