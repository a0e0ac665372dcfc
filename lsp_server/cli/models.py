"""`suture models`: which models there are, which is active, and what one needs."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from typing import Any

from ..errors import UserError

_USABLE = "a short name, owner/model, a folder, a GGUF file, ollama:NAME, a server's address, or embedded"
EXAMPLES = """\
examples:
  suture models                              list known models, models on this machine, and the active one
  suture models info qwen2.5-coder-1.5b      what a model is and needs
  suture models pull qwen2.5-coder-1.5b      download a model
  suture models use qwen2.5-coder-1.5b       make it the active one, for all editors
  suture models use ./my-model               the same with a folder
  suture models use ./model.gguf             the same with a GGUF file, which llama.cpp runs
  suture models use ollama:qwen2.5-coder     the same with a model of Ollama's own store, or of LM Studio's
  suture models use http://127.0.0.1:8080/v1 the same with a running server: llama.cpp, Ollama, vLLM or the like
  suture models use embedded                 back to the bundled model
"""


@dataclass(frozen=True)
class Row:
    """A model in the list."""

    name: str
    hub: str | None
    active: bool
    here: bool  # on this machine
    parameters: int | None
    bytes: int | None
    licence: str | None
    note: str


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    models = commands.add_parser(
        "models",
        help="list models, download one, choose the active one",
        description="Without an action: list known models, those on this machine, and the active one.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    models.add_argument("--json", action="store_true", help="print JSON")
    models.set_defaults(run=_list)
    actions = models.add_subparsers(metavar="ACTION")
    for name, run, words in (
        ("info", _info, "describe a model and what it needs"),
        ("pull", _pull, "download a model from the hub"),
        ("use", _use, "make a model the active one, in the user's settings"),
    ):
        action = actions.add_parser(name, help=words)
        action.add_argument(
            "name",
            metavar="NAME",
            help="a short name, owner/model, a folder, or embedded" if name != "use" else _USABLE,
        )
        if name != "use":
            action.add_argument("--revision", metavar="REV", help="a branch, tag or commit of the hub")
        if name == "info":
            action.add_argument("--json", action="store_true", help="print JSON")
        action.set_defaults(run=run)


def _list(options: argparse.Namespace) -> int:
    rows = _rows()
    if options.json:
        print(json.dumps([asdict(row) for row in rows]))
        return 0
    from ...model.loading.memory import in_words
    from .colour import paint

    print(f"{'':2}{'name':34}{'here':6}{'size':>8}  {'licence':16}")
    for row in rows:
        size = in_words(row.bytes) if row.bytes else ""
        mark, here = "* " if row.active else "  ", "yes" if row.here else ""
        line = f"{mark}{row.name:34}{here:6}{size:>8}  {row.licence or '':16}{row.note}".rstrip()
        print(paint(line, "bold") if row.active else line)
    print(
        "\n* is active; size is what it takes on disk and in memory; a model in safetensors takes up to twice that on a CPU."
    )
    print(_recommended())
    print("`suture models pull NAME` downloads one, `suture models use NAME` makes it the active one.")
    return 0


def _recommended() -> str:
    """Which model suits this machine, and by what measure."""
    from ...model.loading.hardware import recommend

    choice = recommend()
    return f"For this machine: {choice.name} ({choice.why})."


def _rows() -> list[Row]:
    from ...model.loading import info as model_info
    from ...model.loading import presets

    active = _active()
    active_hub = presets.hub_name(active) if active else None
    embedded = model_info.is_embedded(active)
    there = {one.hub: one for one in model_info.cached()}
    own = _embedded_row(embedded)
    rows = [own] if own else []
    for preset in presets.PRESETS:
        found = there.pop(preset.hub, None)
        rows.append(
            Row(
                preset.name,
                preset.hub,
                active_hub == preset.hub,
                found is not None,
                preset.parameters * 1_000_000,
                preset.size,
                preset.licence,
                preset.note,
            )
        )
    from ...model.loading import stores
    from ...model.runtime.served import running

    for one in stores.stored():
        rows.append(Row(one.name, None, active == one.name, True, None, one.bytes, None, f"GGUF in {one.path.parent}"))
    for served in running.running():
        note = f"{served.server} runs it"
        rows.append(Row(served.name, None, active == served.name, True, None, served.bytes, None, note))
    for hub, found in there.items():
        rows.append(Row(hub, hub, active_hub == hub, True, None, found.bytes, None, "in the hub's local cache"))
    if not embedded and not any(row.active for row in rows):
        rows.append(Row(str(active), None, True, _is_here(active), None, None, None, "from the settings"))
    return rows


def _embedded_row(active: bool) -> Row | None:
    from ...model import ModelError
    from ...model.loading.info import info

    try:
        own = info(None)
    except ModelError:
        return None
    note = "bundled, works offline at once"
    return Row("embedded", None, active, True, own.parameters, own.stored_bytes, own.licence, note)


def _is_here(name: str | None) -> bool:
    from ...model import ModelError
    from ...model.loading.find import find_model

    try:
        find_model(name)
    except ModelError:
        return False
    return True


def _info(options: argparse.Namespace) -> int:
    info = _described(options.name, options.revision)
    if options.json:
        print(json.dumps(asdict(info)))
        return 0
    from ...model.loading.memory import in_words

    order = {"psm": "prefix first", "spm": "suffix first"}.get(info.order, info.order)
    for label, value in (
        ("model", info.name),
        ("folder", info.folder),
        ("architecture", info.architecture),
        ("parameters", f"{info.parameters / 1e6:,.1f} M, stored as {', '.join(info.number_types)}"),
        ("on disk", in_words(info.stored_bytes)),
        ("memory", f"{in_words(info.gpu_bytes)} on a GPU, up to {in_words(info.cpu_bytes)} on the CPU"),
        ("context", f"{info.context:,} tokens"),
        ("vocabulary", f"{info.vocabulary:,} tokens"),
        ("asked as", f"{info.template}, {order}"),
        ("licence", info.licence or "not said in its card"),
    ):
        print(f"{label:14}{value}")
    return 0


def _pull(options: argparse.Namespace) -> int:
    from ...model import ModelError
    from ...model.loading import info as model_info
    from ...model.loading import presets
    from ...model.loading.find import find_model
    from ...model.loading.memory import in_words

    if model_info.is_embedded(options.name):
        raise UserError("the embedded model is bundled with Suture: there is nothing to download")
    preset = next((one for one in presets.PRESETS if one.hub == presets.hub_name(options.name)), None)
    if preset is not None:
        print(f"{preset.hub}: about {in_words(preset.size)}, licence {preset.licence}", file=sys.stderr)
    from ...model.loading.hub import check_hash

    try:
        path = find_model(options.name, offline=False, revision=options.revision)
        for file in [path] if path.is_file() else sorted(path.glob("*.safetensors")):
            check_hash(file)
    except ModelError as error:
        raise UserError(f"cannot get the model {options.name}: {error}") from None
    info = _described(options.name, options.revision)  # a model that cannot be used is better known now
    print(f"{options.name} is in {info.folder}; `suture models use {options.name}` makes it the active one")
    return 0


def _use(options: argparse.Namespace) -> int:
    from pathlib import Path

    from ...model.loading import info as model_info
    from ...model.loading.find import find_model
    from ...model.runtime.served import child
    from ...model.runtime.served.options import is_address
    from ..settings.user_file import set_in_user_file

    name = None
    if model_info.is_embedded(options.name):
        path = set_in_user_file("model", None)
        print(f"the embedded model is the active one (in {path})")
    else:
        if is_address(options.name):
            _check_server(options.name)
            name = options.name
        else:
            _described(options.name)
            path = Path(options.name).expanduser()
            # A relative path would mean another folder in each editor.
            name = str(path.resolve()) if path.exists() else options.name
            if find_model(options.name).is_file() and not child.available():
                print(f"suture: {child.missing()}", file=sys.stderr)
        path = set_in_user_file("model", name)
        print(f"{name} is the active model (in {path}); running servers take it when they are started again")
    if _active() != name:
        print("but another setting overrides the user's file here: see `suture config`", file=sys.stderr)
    return 0


def _check_server(name: str) -> None:
    """Look whether a server answers, before it is chosen."""
    from ..completion.pipeline import load_model
    from ..settings.sources import own_settings

    own = own_settings()
    model = load_model(name, own.device, own.offline, own)
    assert model.served is not None
    print(model.description, file=sys.stderr)
    model.served.close()


def _described(name: str, revision: str | None = None) -> Any:
    from ...model import ModelError
    from ...model.loading.info import info

    try:
        return info(name, revision)
    except ModelError as error:
        hint = "; `suture models pull` downloads it" if "download it first" in str(error) else ""
        raise UserError(f"{error}{hint}") from None


def _active() -> str | None:
    from ..settings.sources import own_settings

    return own_settings().model
