"""`suture serve`: what an editor runs."""

import argparse
import os
import sys
from typing import Any

from ..problems import Problem


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    serve = commands.add_parser("serve", help="run the language server on standard input and output")
    serve.add_argument("--stdio", action="store_true", help="the default; editors pass it")
    serve.add_argument("--clientProcessId", help=argparse.SUPPRESS)  # vscode-languageclient passes it
    serve.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until the client ends it."""
    from ..server import serve

    if sys.stdin is None or sys.stdout is None:
        raise Problem("standard input and output must be open: an editor speaks over them")
    if sys.stdin.isatty():
        print("suture serve speaks LSP with an editor; see `suture --help` for what else it does", file=sys.stderr)
    code = serve()
    sys.stderr.flush()
    os._exit(code)  # not sys.exit: neither a model that is being loaded nor a read from the client is waited for
