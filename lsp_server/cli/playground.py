"""`suture playground`: an editor in the browser, with the engine's view beside it."""

import argparse
import os
import sys
from typing import Any

from ...common.terminal import say
from .serve import LOOPBACK


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    playground = commands.add_parser(
        "playground",
        help="try Suture in the browser, and see what the parser sees",
        description="Open an editor in the browser that shows what may stand at the cursor, and each step of a suggestion with the candidates that were refused.",
    )
    playground.add_argument("--port", type=int, default=0, help="the port of the page (default: any free one)")
    playground.add_argument("--no-browser", action="store_true", help="only print the address")
    playground.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve the page and its server until the user ends it."""
    import webbrowser

    from ..isolation.serving import listen
    from ..playground.http import page_files, serve_page
    from ..protocol.access import chosen_token
    from ..protocol.http import listen_on

    files = page_files()  # first: without the page nothing else is worth starting
    host, token = LOOPBACK[0], chosen_token(os.environ)
    pages = listen_on(host, options.port)
    page_port = pages.getsockname()[1]
    origins = [f"http://{host}:{page_port}", f"http://localhost:{page_port}"]

    def ready(port: int) -> None:
        serve_page(pages, files, f"{host}:{port}", token)
        address = f"{origins[0]}/?token={token}"
        say(f"{address} (Ctrl+C ends it)", flush=True)
        if not options.no_browser:
            webbrowser.open(address)

    try:
        code = listen("websocket", host, 0, token, origins=origins, ready=ready)
    except KeyboardInterrupt:
        code = 0
    sys.stderr.flush()
    os._exit(code)  # not sys.exit, which would wait for a read from a client
