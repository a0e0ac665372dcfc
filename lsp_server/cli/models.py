"""`suture models`: the known models, the active one, and the needs of each."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from ...common.terminal import say
from ..errors import UserError

if TYPE_CHECKING:
    from ...model.loading.presets import Preset

_USABLE = "recommended, a short name, owner/model, a folder, a GGUF file, ollama:NAME, a server's address, or embedded"
RECOMMENDED = "recommended"
_SOON_LOADED = 1_000_000_000  # of weights: loaded within seconds
EXAMPLES = """\
examples:
  suture models                              list known models, models on this machine, and the active one
  suture models pull recommended             download the one that suits this machine
  suture models use recommended              make it the active one, for all editors
  suture models info qwen2.5-coder-1.5b      what a model is and needs, also before it is downloaded
  suture models use ./my-model               the same with a folder
  suture models use ./model.gguf             the same with a GGUF file, which llama.cpp runs
  suture models use ollama:qwen2.5-coder     the same with a model of Ollama's own store, or of LM Studio's
  suture models use http://127.0.0.1:8080/v1 the same with a running server: llama.cpp, Ollama, vLLM or the like
  suture models use embedded                 back to the bundled model
"""


@dataclass(frozen=True)
class Row:
    """A model in the list. Programs read it as JSON: fields are added, never renamed or removed."""

    name: str
    hub: str | None
    active: bool
    here: bool  # on this machine
    parameters: int | None
    bytes: int | None  # of its files
    licence: str | None
    note: str
    recommended: bool = False  # for this machine
    wait_ms: int | None = None  # for a suggestion at a pause in a line, estimated for this machine
    commercial: bool | None = None  # whether commercial use is allowed; None: unknown
    install: str | None = None  # the command to install its missing packages here


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
        ("use", _use, "load a model once, and make it the active one, in the user's settings"),
    ):
        action = actions.add_parser(name, help=words)
        action.add_argument(
            "name",
            metavar="NAME",
            help="recommended, a short name, owner/model, a folder, or embedded" if name != "use" else _USABLE,
        )
        if name != "use":
            action.add_argument("--revision", metavar="REV", help="a branch, tag or commit of the hub")
        if name == "info":
            action.add_argument("--json", action="store_true", help="print JSON")
        action.set_defaults(run=run)


def _list(options: argparse.Namespace) -> int:
    rows = _rows()
    if options.json:
        say(json.dumps([asdict(row) for row in rows]))
        return 0
    from ...model.loading.recommend import recommend
    from .colour import paint

    for line, row in zip(_columns(rows), [None, *rows], strict=True):
        say(paint(line, "bold") if row is not None and row.active else line)
    say(
        "\n* is the active one, > the one that suits this machine. The size is that of the files, and of what is downloaded. In memory a "
        "GGUF file\ntakes about as much and 160 MB more, a model in safetensors as much on a GPU and twice that on most CPUs. "
        "The wait is for a suggestion\nat a pause in a line, estimated from a measurement of this machine."
    )
    suited = recommend()
    say(f"\n{suited.in_words()}")
    for step in suited.steps():
        say(f"  {step}")
    return 0


def _columns(rows: list[Row]) -> list[str]:
    """The list as lines, the head first; each column is as wide as its widest cell."""
    from ...model.loading.memory import in_words
    from ...model.loading.recommend import wait_in_words

    cells = [["", "name", "here", "size", "wait", "licence", ""]]
    for row in rows:
        mark = ("*" if row.active else "") + (">" if row.recommended else "")
        size = "" if row.bytes is None else in_words(row.bytes)
        wait = "" if row.wait_ms is None else wait_in_words(row.wait_ms)
        cells.append([mark, row.name, "yes" if row.here else "", size, wait, row.licence or "", row.note])
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    right = (3, 4)  # columns of numbers

    def aligned(line: list[str]) -> str:
        padded = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()

    return [aligned(line) for line in cells]


def _rows() -> list[Row]:
    from ...model.loading import info as model_info
    from ...model.loading import installed, presets
    from ...model.loading.find import is_here
    from ...model.loading.recommend import needed_for, recommend, this_machine, wait_ms

    active = _active()
    embedded = model_info.is_embedded(active)
    cached = {model.hub: model for model in model_info.cached()}
    suited, machine = recommend(), this_machine()
    own = _embedded_row(embedded, suited.name)
    rows = [own] if own else []
    for preset in presets.PRESETS:
        needs = needed_for(preset)
        rows.append(
            Row(
                preset.name,
                preset.hub,
                active is not None and active.lower() in (preset.name, *([] if preset.file else [preset.hub.lower()])),
                preset.hub in cached and is_here(preset.name),
                preset.parameters * 1_000_000,
                preset.size,
                preset.licence,
                preset.note,
                preset.name == suited.name,
                wait_ms(preset, machine),
                preset.commercial,
                None if installed.has(needs) else installed.command(needs),
            )
        )
    from ...model.loading import stores
    from ...model.runtime.served import running

    llama_cpp = None if installed.has("gguf") else installed.command("gguf")
    for model in stores.stored():
        note = f"GGUF in {model.path.parent}"
        rows.append(Row(model.name, None, active == model.name, True, None, model.bytes, None, note, install=llama_cpp))
    for served in running.running():
        note = f"{served.server} has it, and loads it when it is asked"
        rows.append(Row(served.name, None, active == served.name, True, None, served.bytes, None, note))
    hubs = {preset.hub for preset in presets.PRESETS}
    for hub, cached_model in cached.items():
        if hub not in hubs:
            rows.append(Row(hub, hub, active == hub, True, None, cached_model.bytes, None, "in the hub's local cache"))
    if not embedded and not any(row.active for row in rows):
        rows.append(Row(str(active), None, True, is_here(active), None, None, None, "from the settings"))
    return rows + [_row_chosen_before(name) for name in _chosen_before({row.name for row in rows} | {*cached, *hubs})]


def _chosen_before(listed: set[str]) -> list[str]:
    """The user's earlier models that are not listed otherwise."""
    from ...model.loading.find import is_here
    from ...model.runtime.served.options import is_address
    from ..settings.chosen_models import chosen_before

    return [name for name in chosen_before() if name not in listed and (is_address(name) or is_here(name))]


def _row_chosen_before(name: str) -> Row:
    from pathlib import Path

    path = Path(name).expanduser()
    size = path.stat().st_size if path.is_file() else None
    return Row(name, None, False, True, None, size, None, "chosen before")


def _embedded_row(active: bool, suited: str) -> Row | None:
    from ...model import ModelError
    from ...model.loading import recommend
    from ...model.loading.info import info

    try:
        own = info(None)
    except ModelError:
        return None
    return Row(
        recommend.EMBEDDED,
        None,
        active,
        True,
        own.parameters,
        own.stored_bytes,
        own.licence,
        "bundled, works offline at once",
        suited == recommend.EMBEDDED,
        recommend.EMBEDDED_MS,
        True,
    )


def _named(name: str) -> str:
    """The model of a name; "recommended" stands for this machine's."""
    if name.lower() != RECOMMENDED:
        return name
    from ...model.loading.recommend import recommend

    suited = recommend()
    say(suited.in_words(), file=sys.stderr)
    return suited.name


def _info(options: argparse.Namespace) -> int:
    from ...model.loading import presets
    from ...model.loading.find import is_here
    from ...model.loading.memory import in_words

    name = _named(options.name)
    preset = presets.find(name)
    if preset is not None and not is_here(name):
        return _info_of_preset(preset, options.json)
    info = _described(name, options.revision)
    if options.json:
        say(json.dumps(asdict(info)))
        return 0
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
        say(f"{label:14}{value}")
    return 0


def _info_of_preset(preset: Preset, as_json: bool) -> int:
    """Describe a model not yet on this machine, by its known facts."""
    from ...model.loading import installed
    from ...model.loading.info import Info
    from ...model.loading.memory import in_words
    from ...model.loading.recommend import needed_for, this_machine, wait_in_words, wait_ms

    if as_json:
        facts = {
            **dict.fromkeys(field.name for field in fields(Info)),
            "name": preset.name,
            "parameters": preset.parameters * 1_000_000,
            "stored_bytes": preset.size,
            "template": preset.asked,
            "licence": preset.licence,
        }
        say(json.dumps(facts))
        return 0
    needs = needed_for(preset)
    runs = "llama.cpp" if needs == "gguf" else "PyTorch"
    for label, value in (
        ("model", f"{preset.name}, not on this machine: `suture models pull {preset.name}` downloads it"),
        ("hub", f"{preset.hub}{f', {preset.file}' if preset.file else ''}"),
        ("parameters", f"{preset.parameters:,} M"),
        ("download", in_words(preset.size)),
        ("SHA-256", preset.sha256 or "as the hub says"),
        ("run by", runs if installed.has(needs) else f"{runs}, which is missing: {installed.missing(needs)}"),
        ("wait", f"about {wait_in_words(wait_ms(preset, this_machine()))} on this machine, estimated"),
        ("asked as", preset.asked),
        ("licence", preset.licence + ("" if preset.commercial else ", no commercial use")),
        ("note", preset.note),
    ):
        say(f"{label:14}{value}")
    return 0


def _pull(options: argparse.Namespace) -> int:
    from ...model import ModelError
    from ...model.loading import info as model_info
    from ...model.loading import installed, presets
    from ...model.loading.find import download
    from ...model.loading.memory import in_words
    from ...model.loading.recommend import needed_for

    name = _named(options.name)
    if model_info.is_embedded(name):
        raise UserError("the embedded model is bundled with Suture: there is nothing to download")
    preset = presets.find(name)
    if preset is not None:
        say(f"{preset.hub}: about {in_words(preset.size)}, licence {preset.licence}", file=sys.stderr)
        needs = needed_for(preset)
        if not installed.has(needs):
            say(f"before it can be used, {installed.missing(needs)}", file=sys.stderr)
    try:
        download(name, revision=options.revision, progress=_bar())
    except ModelError as error:
        raise UserError(f"cannot get the model {name}: {error}") from None
    info = _described(name, options.revision)  # better to learn now of an unusable model
    say(f"{name} is in {info.folder}; `suture models use {name}` makes it the active one")
    return 0


def _bar() -> Callable[[int, int], None]:
    """The progress bar of a download on standard error: a redrawn line on a terminal, else a line for each percent."""
    from ...model.loading.memory import in_words

    last = -1

    def show(here: int, of: int) -> None:
        nonlocal last
        percent = 100 * here // of if of else 0
        if percent == last:
            return
        last = percent
        terminal = sys.stderr.isatty()
        line = f"{percent}% of {in_words(of)}"
        say(
            f"\r{line}" if terminal else line,
            end="\n" if here == of or not terminal else "",
            file=sys.stderr,
            flush=True,
        )

    return show


def _use(options: argparse.Namespace) -> int:
    from pathlib import Path

    from ...model.loading import info as model_info
    from ..runtime import offer
    from ..settings.chosen_models import remember_chosen
    from ..settings.user_file import set_in_user_file

    chosen, name, before = _named(options.name), None, _active()
    if model_info.is_embedded(chosen):
        path = set_in_user_file("model", None)
        say(f"the embedded model is the active one (in {path})")
    else:
        path = Path(chosen).expanduser()
        # A relative path would mean a different folder in each editor.
        name = str(path.resolve()) if path.exists() else chosen
        say(f"{_tried(name)}", file=sys.stderr)
        path = set_in_user_file("model", name)
        say(f"{name} is the active model (in {path})")
    offer.remember("done", name or chosen)  # after a choice, even of the embedded model, no offer is made
    remember_chosen(*(each for each in (name, before) if each is not None and not model_info.is_embedded(each)))
    say("Servers that are running load it within a few seconds, unless their editor's settings name another.")
    if _active() != name:
        say("but another setting overrides the user's file here: see `suture config`", file=sys.stderr)
    return 0


def _tried(name: str) -> str:
    """Load a model, or check whether it can be loaded, and report the result; raises UserError.

    A PyTorch model takes minutes to load on some machines: for a large one, only its files and the memory are checked.
    """
    from ...model import ModelError
    from ...model.loading import installed
    from ...model.loading.find import find_model
    from ...model.loading.memory import check_room
    from ...model.runtime.served.options import is_address
    from ..completion.engine.keeper import load_model
    from ..settings.sources import own_settings

    own = own_settings()
    if not is_address(name):
        info = _described(name)
        if installed.has("torch") and info.stored_bytes > _SOON_LOADED and not find_model(name).is_file():
            try:
                check_room(info.gpu_bytes, "cpu")
            except ModelError as error:
                raise UserError(str(error)) from None
            return "its files are complete"
    model = load_model(name, own.device, own.offline, own)
    if model.served is not None:
        model.served.close()
    return model.description


def _described(name: str, revision: str | None = None) -> Any:
    from ...model import ModelError
    from ...model.loading.info import info

    try:
        return info(name, revision)
    except ModelError as error:
        raise UserError(str(error)) from None


def _active() -> str | None:
    from ..settings.sources import own_settings

    return own_settings().model
