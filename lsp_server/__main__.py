"""`python -I -m suture.lsp_server` starts the server: an editor's way to run it with a chosen interpreter."""

import sys

from .cli.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["serve"]))
