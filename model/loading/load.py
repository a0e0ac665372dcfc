"""From a folder or a hub name to a running model: safetensors only, no code of the model's own, no network unless asked.

Each way that this can fail ends in a ModelError of one line that says what to do.
"""

from dataclasses import replace
from pathlib import Path

from ...common import untrusted
from ..cache_lm.mixture import FILE, Copier, CopyingRuntime, load_gate
from ..calibration import load_certainty
from ..errors import ModelError, OutOfMemory
from ..runtime.base import Model, Runtime
from . import presets
from .checkpoint import Contents, read_folder
from .memory import check_room, needed

EMBEDDED = Path(__file__).parents[1] / "embedded"
EMBEDDED_NAME = "embedded"

_CPU_CONTEXT = 1024  # tokens of context that a model on the CPU reads within the patience of a typist
_GPU_CONTEXT = 4096


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
    copying: bool | None = None,
) -> Model:
    """Load a model from a folder or by its hub name; None is the embedded one.

    `device`: "auto" takes cuda, mps, cpu in this order, and the CPU where the model does not fit (`Model.notice` says so).
    `dtype`: "auto", "float32", "bfloat16", "float16". `offline`: a hub name (or a preset's, see `presets`) is looked up
    in the local cache only. `revision`: branch, tag or commit of a hub name. `template` and `order`: override the
    detected prompt (see `templates`). `threads`: cores used on the CPU. `copying`: mix in what the document itself
    says (`mixing`); None: where the model has numbers for it, as the embedded one has, whose numbers others borrow.
    """
    name = name_or_path or EMBEDDED_NAME
    try:
        folder = find_folder(name_or_path, offline=offline, revision=revision)
        model = _load(folder, name, device=device, dtype=dtype, template=template, order=order, threads=threads)
        model = replace(model, certainty=load_certainty(folder))
        return (
            _with_copying(model, folder) if copying or (copying is None and untrusted.exists(folder / FILE)) else model
        )
    except ModelError as error:
        raise ModelError(f"cannot use the model {name}: {error}") from error.__cause__


def _load(
    folder: Path, name: str, *, device: str, dtype: str, template: str | None, order: str | None, threads: int | None
) -> Model:
    contents = read_folder(folder, template=template, order=order)

    from ..runtime.torch_runtime import choose_device  # torch is imported here, and not before

    chosen, notice = choose_device(device), ""
    try:
        runtime, description = _start(contents, chosen, dtype, threads)
    except OutOfMemory as problem:
        if device != "auto" or chosen == "cpu":
            raise
        notice = f"the model {name} runs on the CPU, slowly: on {chosen} {problem}"
        runtime, description = _start(contents, "cpu", dtype, threads)
    context = _CPU_CONTEXT if runtime.device == "cpu" else _GPU_CONTEXT
    context = min(context, runtime.limit)
    return Model(name, runtime, contents.vocabulary, contents.template, context, description, notice)


def _with_copying(model: Model, folder: Path) -> Model:
    gate = load_gate(folder / FILE if untrusted.exists(folder / FILE) else EMBEDDED / FILE)
    copier = Copier(model.vocabulary, model.runtime.size, model.template.ends)
    return replace(model, runtime=CopyingRuntime(model.runtime, copier, gate), reader=copier)


def _start(contents: Contents, device: str, dtype: str, threads: int | None) -> tuple[Runtime, str]:
    from ..runtime.torch_runtime import choose_dtype, start

    folder, config, weights = contents.folder, contents.config, contents.weights
    number_type = choose_dtype(dtype, device, folder, config)
    stored = weights.bytes / max(1, weights.parameters)
    width = stored if isinstance(number_type, str) else number_type.itemsize
    check_room(needed(weights.parameters, width), device)
    return start(folder, config, size=contents.size, limit=contents.limit, device=device, dtype=dtype, threads=threads)


def find_folder(name: str | None, *, offline: bool = True, revision: str | None = None) -> Path:
    """The folder of a model: a folder's own path, a preset, a name on the hub; None is the embedded one."""
    if name is None or name == EMBEDDED_NAME:
        if not (EMBEDDED / "config.json").is_file():
            raise ModelError("it is not in this installation: reinstall Suture, or name a model folder or hub name")
        return EMBEDDED
    folder = Path(name).expanduser()
    if untrusted.is_folder(folder):
        return folder
    if untrusted.exists(folder):
        raise ModelError("this is a file: name the folder that contains its config.json")
    if name.startswith((".", "~", "/")) or folder.is_absolute() or "\\" in name or name.count("/") > 1:
        raise ModelError("there is no such folder: check the path")
    from .hub import find

    return find(presets.hub_name(name), offline=offline, revision=revision)
