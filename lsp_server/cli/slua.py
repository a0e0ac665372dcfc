"""`suture slua`: check scripts of sLua against an API, and translate them to Lua."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from ..errors import UserError

if TYPE_CHECKING:
    from ...slua import Api

DESCRIPTION = """\
Check scripts of sLua, a typed Lua whose scripts cannot fail, against an API; or translate them to Lua 5.4.

examples:
  suture slua check poison.slua                      with the nearest *.slua-api above the file
  suture slua check *.slua --api game.slua-api       in this order: a script may use what the ones before it register
  suture slua translate poison.slua > poison.lua
"""


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    command = commands.add_parser(
        "slua",
        help="check scripts of sLua against an API, or translate them to Lua",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = command.add_subparsers(title="actions", metavar="ACTION", required=True)
    for name, run, what in (
        ("check", _check, "say where scripts are wrong, and what is expected there"),
        ("translate", _translate, "print scripts as Lua 5.4"),
    ):
        action = actions.add_parser(name, help=what, description=what)
        action.add_argument(
            "files", nargs="+", metavar="FILE", help="scripts, in the order in which they use each other"
        )
        action.add_argument(
            "--api", metavar="PATH", help="the API file (default: the nearest *.slua-api above the first file)"
        )
        action.add_argument(
            "--kind", metavar="NAME", help="the kind of the scripts (default: any that the API declares)"
        )
        if name == "check":
            action.add_argument("--json", action="store_true", help="print one object a line")
        action.set_defaults(run=run)


def _check(options: argparse.Namespace) -> int:
    from ...slua import Script

    wrong = 0
    for path, text, found in _scripts(options):
        if isinstance(found, Script):
            if options.json:
                print(json.dumps({"file": path, "ok": True, "kind": found.kind}))
            else:
                print(f"{path}: a correct {found.kind}")
            continue
        wrong = 1
        line, column = found.place(text)
        if options.json:
            place = {"line": line, "column": column, "offset": found.offset}
            print(json.dumps({"file": path, "ok": False, **place, "message": found.message}))
        else:
            print(f"{path}:{line}:{column}: {found.message}")
    return wrong


def _translate(options: argparse.Namespace) -> int:
    from ...slua import Script

    for path, text, found in _scripts(options):
        if not isinstance(found, Script):
            line, column = found.place(text)
            raise UserError(f"{path}:{line}:{column}: {found.message}")
        print(found.lua, end="")
    return 0


def _scripts(options: argparse.Namespace) -> Any:
    """(path, text, the script or what is wrong with it) for each file; correct ones are known to those after them."""
    from ...slua import ScriptError
    from .sources import read_source

    api = _api(options)
    if options.kind is not None and options.kind not in api.kinds:
        raise UserError(f"the API has no kind {options.kind!r}; it has: {', '.join(api.kinds)}")
    for path in options.files:
        text = read_source(path, "slua")
        try:
            script = api.script(text, options.kind)
        except ScriptError as error:
            yield path, text, error.problem
            continue
        api = api.with_script(script)
        yield path, text, script


def _api(options: argparse.Namespace) -> Api:
    from ...parser.languages.slua.workspace import nearest_api
    from ...slua import Api, ApiError

    path = options.api or nearest_api(options.files[0])
    if path is None:
        raise UserError(f"no *.slua-api file lies above {options.files[0]}; name one with --api")
    try:
        return Api.load(path)
    except ApiError as error:
        raise UserError(str(error)) from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
