"""`suture config`: the effective settings, and the source of each."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from ...common.json_types import is_array
from ...common.terminal import say


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    config = commands.add_parser(
        "config",
        help="print the effective settings, and where each comes from",
        description="Print the settings in effect, what each means, and the source of each that is not a default; and the folders in which Suture keeps files.",
    )
    config.add_argument("--folder", default=".", metavar="DIR", help="the workspace (default: this folder)")
    config.add_argument("--trusted", action="store_true", help="treat the folder as a trusted workspace")
    config.add_argument("--json", action="store_true", help="print one object")
    config.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the settings of a server before its editor sends any."""
    from ...parser.languages.registry import BUILT_IN
    from ..settings.effective import Configuration, Folder
    from ..settings.spec import SPECS
    from ..settings.user_file import user_file
    from .arguments import workspace

    folder = workspace(options.folder)
    configuration = Configuration(None, [Folder(folder.as_uri(), folder)], options.trusted)
    whole = configuration.whole()
    values = {name: _plain(getattr(whole.settings, name)) for name in SPECS}
    for message in whole.messages:
        say(f"suture: {message}", file=sys.stderr)
    if options.json:
        settings = {
            name: {"value": values[name], "source": whole.sources[name], "meaning": spec.meaning}
            for name, spec in SPECS.items()
        }
        versions = {
            name: configuration.version(str(folder / "file"), name)
            for name, built_in in BUILT_IN.items()
            if built_in.versions is not None
        }
        say(json.dumps({"file": str(user_file()), "folders": _folders(), "settings": settings, "versions": versions}))
        return 0
    say(f"Your file: {user_file()}. What is not a default is marked *, with its source.\n")
    for parts in _lines(values, whole.sources):
        say(*parts, sep="  ")
    say()
    for what, folder in _folders().items():
        say(f"  {what:10}{folder}")
    return 0


def _folders() -> dict[str, str]:
    """The folders of this user's files, besides the settings."""
    from huggingface_hub import constants

    from ...common.state import state_folder
    from ...parser.grammar.cache import cache_folder

    return {
        "state": str(state_folder()),  # counts, and the answer to the offer of a model
        "cache": str(cache_folder().parent),
        "models": str(constants.HF_HUB_CACHE),  # shared with other programs
    }


def _lines(values: Mapping[str, Any], sources: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """A line, in parts, for each setting: whether it is a default, its value and meaning; and a line for its source."""
    from ..settings.spec import SPECS
    from .colour import paint

    shown = {name: json.dumps(values[name], ensure_ascii=False) for name in SPECS}
    width, value_width = max(map(len, SPECS)), 10
    for name, spec in SPECS.items():
        chosen = sources[name] != "default"
        line = f"{'*' if chosen else ' '} {name:{width}}  {shown[name]:{value_width}}"
        yield paint(line, "bold") if chosen else line, paint(spec.meaning, "dim")
        if chosen:
            yield f"  {'':{width}}  {'':{value_width}}", paint(f"from {sources[name]}", "cyan")


def _plain(value: Any) -> Any:
    if hasattr(value, "items"):
        return dict(value)
    if is_array(value):
        return [asdict(item) if hasattr(item, "__dataclass_fields__") else item for item in value]
    return value
