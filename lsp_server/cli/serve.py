"""`suture serve`: the program run by an editor."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from ...common.terminal import say
from ..errors import UserError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
DEFAULT_HTTP_PORT = 8012
"""The default port of llama.vim and llama.vscode."""


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    serve = commands.add_parser(
        "serve",
        help="run the language server (on standard input and output)",
        description="Run the language server. Editors start it themselves; without options it speaks LSP over standard input and output.",
    )
    way = serve.add_mutually_exclusive_group()
    way.add_argument("--stdio", action="store_true", help="speak over standard input and output (the default)")
    way.add_argument(
        "--tcp", type=address, metavar="[HOST:]PORT", help="listen for a TCP client (default host: 127.0.0.1)"
    )
    way.add_argument(
        "--websocket", type=address, metavar="[HOST:]PORT", help="listen for a WebSocket client, such as a browser"
    )
    way.add_argument(
        "--http",
        type=address,
        nargs="?",
        const=("127.0.0.1", DEFAULT_HTTP_PORT),
        metavar="[HOST:]PORT",
        help=f"answer llama.cpp's /infill, OpenAI's /v1/completions and Mistral's /v1/fim/completions (default: {DEFAULT_HTTP_PORT})",
    )
    serve.add_argument("--folder", default=".", metavar="DIR", help="with --http: the project whose files are edited")
    serve.add_argument("--trusted", action="store_true", help="with --http: treat the folder as a trusted workspace")
    serve.add_argument("--once", action="store_true", help="exit when the first client disconnects")
    serve.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="URL",
        help="accept web pages from this origin: the full address, such as http://localhost:8000",
    )
    serve.add_argument("--no-token", action="store_true", help="accept any client, without a token (insecure)")
    serve.add_argument("--clientProcessId", help=argparse.SUPPRESS)  # vscode-languageclient passes it
    serve.set_defaults(run=run, usage_error=serve.error)


def _serve_http(options: argparse.Namespace) -> int:
    """Serve the routes of HTTP until the process is ended."""
    from ..endpoint.serving import serve_folder
    from ..protocol.access import chosen_token

    host, port = options.http
    if host not in LOOPBACK:
        options.usage_error("--http serves this machine alone: 127.0.0.1, ::1 or localhost")
    if options.once or options.origin:
        options.usage_error("--once and --origin are for --tcp and --websocket")
    folder = Path(options.folder)
    if not folder.is_dir():
        raise UserError(f"{options.folder}: is no folder; --folder names the project whose files are edited")
    token = None if options.no_token else chosen_token(os.environ)
    code = serve_folder(host, port, folder.resolve(), token, trusted=options.trusted)
    sys.stderr.flush()
    os._exit(code)  # not sys.exit, which would wait for threads with clients


def address(text: str) -> tuple[str, int]:
    """An address, [HOST:]PORT."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not [HOST:]PORT, such as 127.0.0.1:7777 or 0 for any free port")
    return host or "127.0.0.1", int(port)


def run(options: argparse.Namespace) -> int:
    """Serve until the client ends it, or the process is ended."""
    from ..isolation.serving import listen, serve
    from ..protocol.access import chosen_token, is_origin

    if options.http:
        return _serve_http(options)
    kind = "tcp" if options.tcp else "websocket" if options.websocket else "stdio"
    if kind == "stdio" and (options.once or options.origin or options.no_token):
        options.usage_error("--once, --origin and --no-token are for --tcp and --websocket")
    if kind == "tcp" and options.origin:
        options.usage_error("--origin is for --websocket")
    for origin in options.origin:
        if not is_origin(origin):
            options.usage_error(f"--origin {origin!r} is no full address of a page, such as http://localhost:8000")
    if kind == "stdio":
        if sys.stdin is None or sys.stdout is None:
            raise UserError("standard input and output must be open: an editor speaks over them")
        if sys.stdin.isatty():
            say("suture serve speaks LSP with an editor; see `suture --help` for what else it does", file=sys.stderr)
        code = serve()
    else:
        host, port = options.tcp or options.websocket
        token = None if options.no_token else chosen_token(os.environ)
        if token is None:
            say(f"suture: whoever reaches {host}:{port} can use this server; there is no token", file=sys.stderr)
        elif host not in LOOPBACK:
            say(f"suture: {host}:{port} is not encrypted: others on the way can read along", file=sys.stderr)
        code = listen(kind, host, port, token, options.once, options.origin)
    sys.stderr.flush()
    os._exit(code)  # not sys.exit, which would wait for a read from the client
