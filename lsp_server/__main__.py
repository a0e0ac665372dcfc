"""`python -I -m suture.lsp_server` starts the server: an editor's way to run it with a chosen interpreter."""

import gc
import os
import sys


def main() -> int:
    """Run the server, or the given command; the server's two processes start without the rest of the command line."""
    arguments = sys.argv[1:] or ["serve"]
    try:
        if arguments == ["answer"]:
            gc.disable()  # imported modules stay: `main` freezes them
            from .protocol.lazy_types import import_types

            import_types()
            from .isolation.answering import main as answer

            os._exit(answer())  # not sys.exit: that would wait for a model in the middle of loading
        if arguments in (["serve"], ["serve", "--stdio"]) and sys.stdin and sys.stdout and not sys.stdin.isatty():
            from .isolation import process

            # The answering process takes longest to be ready, so it starts first.
            early = process.ServerProcess(process.worker_command())
            from .isolation.serving import serve

            os._exit(serve(early))
    except KeyboardInterrupt:
        return 130
    from .cli.main import main as run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
