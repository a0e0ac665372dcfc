"""`suture check`: does a text connect its left and right sides?"""

import argparse
from typing import Any

from .arguments import input_lines


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    check = commands.add_parser("check", help="say whether texts connect their left and right sides")
    check.add_argument("--jsonl", action="store_true", required=True, help="read one object a line")
    check.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Answer each line of standard input."""
    from ..batch import answer_lines, check_request

    for line in answer_lines(input_lines(), check_request):
        print(line, flush=True)
    return 0
