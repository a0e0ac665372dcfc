"""`suture slua`: check scripts of sLua against an API, translate them to Lua, and run them with a host made from the API."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...common.terminal import hand_over, say
from ..errors import UserError
from .arguments import natural, positive

if TYPE_CHECKING:
    from ...slua import Api

DESCRIPTION = """\
Check scripts of sLua, a typed Lua whose scripts cannot fail, against an API; translate them to Lua 5.4; or run them, within budgets, where the
program that they are written for is not at hand.

The other scripts in the folder of the first file count, as in an editor: what they register can be named.

examples:
  suture slua check poison.slua                      with the nearest *.slua-api above the file
  suture slua check *.slua --api game.slua-api       in this order: a script may use what the ones before it register
  suture slua translate poison.slua > poison.lua
  suture slua run poison.slua --seed 3               all its functions, with made-up answers; says what they asked
"""


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    command = commands.add_parser(
        "slua",
        help="check scripts of sLua against an API, translate them to Lua, or try them out",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = command.add_subparsers(title="actions", metavar="ACTION", required=True)
    for name, run, what in (
        ("check", _check, "say where scripts are wrong, and what is expected there"),
        ("translate", _translate, "print scripts as Lua 5.4"),
        (
            "run",
            _run,
            "run scripts and the functions that they register, in a sandbox, and say what they ask of their host",
        ),
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
        if name != "translate":
            action.add_argument("--json", action="store_true", help="print one object a line")
        if name == "run":
            action.add_argument(
                "--seed", type=natural, default=0, metavar="N", help="for the host's made-up answers (default: 0)"
            )
            action.add_argument(
                "--instructions",
                type=positive,
                default=1_000_000,
                metavar="N",
                help="limit for each function (default: 1,000,000)",
            )
            action.add_argument(
                "--memory",
                type=positive,
                default=32,
                metavar="MB",
                help="memory limit for all scripts together (default: 32)",
            )
        action.set_defaults(run=run)


def _check(options: argparse.Namespace) -> int:
    from ...slua import Script

    wrong = 0
    for path, text, result, _ in _scripts(options):
        if isinstance(result, Script):
            if options.json:
                say(json.dumps({"file": path, "ok": True, "kind": result.kind}))
            else:
                say(f"{path}: a correct {result.kind}")
            continue
        wrong = 1
        line, column = result.place(text)
        if options.json:
            place = {"line": line, "column": column, "offset": result.offset}
            say(json.dumps({"file": path, "ok": False, **place, "message": result.message}))
        else:
            say(f"{path}:{line}:{column}: {result.message}")
    return wrong


def _translate(options: argparse.Namespace) -> int:
    from ...slua import Script

    for path, text, result, _ in _scripts(options):
        if not isinstance(result, Script):
            line, column = result.place(text)
            raise UserError(f"{path}:{line}:{column}: {result.message}")
        hand_over(result.lua, end="")
    return 0


def _run(options: argparse.Namespace) -> int:
    """Run each script, then each function of its records; 1 where one exceeds its budget."""
    from ...slua import Budget, HostCall, Rehearsal, Script
    from ...slua.rehearsal import in_words

    spent = 0

    def tell(call: HostCall) -> None:
        arguments = list(map(in_words, call.arguments))
        if options.json:
            what = {"call": f"{call.owner}.{call.name}", "arguments": arguments, "result": in_words(call.result)}
            say(json.dumps(what if call.result is not None else what | {"result": None}))
        else:
            result = "" if call.result is None else f" -> {in_words(call.result)}"
            say(f"    {call.owner}.{call.name}({', '.join(arguments)}){result}")

    def ended(what: str, outcome: str, value: object = None) -> None:
        nonlocal spent
        spent |= outcome != "done"
        shown = None if value is None else in_words(value)
        if options.json:
            say(json.dumps({"ran": what, "outcome": outcome, "result": shown}))
        else:
            how = f"used up its {outcome}" if outcome != "done" else "done" if shown is None else f"-> {shown}"
            say(f"  {what} {how}")

    budget = Budget(options.instructions, options.memory * 2**20)
    for path, text, script, api in _scripts(options):
        if not isinstance(script, Script):
            line, column = script.place(text)
            raise UserError(f"{path}:{line}:{column}: {script.message}")
        if not options.json:
            say(f"{path}: {'an' if script.kind[0] in 'aeiou' else 'a'} {script.kind}")
        rehearsal = Rehearsal(api.declared, options.seed, tell)
        try:
            host = api.bind(rehearsal.implementations, budget)
        except ImportError as error:
            raise UserError(str(error)) from None
        loaded = host.load(script, path)
        ended("the script", loaded.outcome)
        for _, record in loaded.registered:
            for name, arguments in rehearsal.hooks(script.tree, record):
                result = host.run(getattr(record, name), *arguments)
                ended(f"{name}({', '.join(map(in_words, arguments))})", result.outcome, result.value)
    return int(spent)


def _scripts(options: argparse.Namespace) -> Any:
    """(path, text, the script or its fault, the API for it) for each file; correct ones are known to those after them, and the other scripts
    of the first one's folder to all, as in an editor."""
    from ...slua import ScriptError
    from .sources import read_source

    texts = [read_source(path, "slua") for path in options.files]
    api = _api(options)
    first = Path(options.files[0])
    api = api.with_folder(first.parent, [Path(path).name for path in options.files])
    if options.kind is not None and options.kind not in api.kinds:
        raise UserError(f"the API has no kind {options.kind!r}; it has: {', '.join(api.kinds)}")
    for path, text in zip(options.files, texts, strict=True):
        try:
            script = api.script(text, options.kind)
        except ScriptError as error:
            yield path, text, error.problem, api
            continue
        yield path, text, script, api
        api = api.with_script(script)


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
