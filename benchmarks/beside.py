"""The latency of a healthy document beside a hostile one in one server: `python -m benchmarks.beside`.

Two documents are open in an editor's server, with the embedded model. In the hostile one somebody types and asks without waiting for answers;
in the healthy one somebody types a letter and waits for the suggestion. Printed are the milliseconds from the key to the answer, beside each
hostile document and beside none. They are wall-clock times: the first row shows the machine's load.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from dataclasses import dataclass
from random import Random

from tests.support.raw_client import SERVER, Raw, running

HEALTHY = "file:///benchmark/healthy.py"
_BODY = "def area(width, height):\n    result = width * height\n    return result\n\n\n"
_TEXT = _BODY * 20 + "def total(prices):\n    amount = sum(prices)\n    return \n\n\n" + _BODY * 20
_LINE = _TEXT.split("\n").index("    return ")
PAUSE_S = 0.3
"""Between two keys: typing slow enough for suggestions."""


@dataclass(frozen=True)
class Hostile:
    """An expensive document, and the place to type in it."""

    text: str
    language: str = "python"
    at: float = 1.0  # the line of the cursor, as a share of all lines


def hostiles() -> dict[str, Hostile]:
    """Expensive documents, by name."""
    code = _BODY + "class Shape:\n    def side(self, n):\n        return [self.a(n) for n in range(n)]\n\n\n"
    return {
        "none": Hostile("x = 1\n"),
        "6 kB of [": Hostile("[" * 6_000),
        "3 kB of ( before as many )": Hostile("x = " + "(" * 3_000 + "\n" + ")" * 3_000),
        "100,000 lines of pass": Hostile("pass\n" * 100_000, at=0.5),
        "a line of 100,000 pass": Hostile("pass;" * 100_000, at=0.5),
        "func f() { 5,000 times": Hostile("package p\n" + "func f() {\n" * 5_000, "go", 0.5),
        "400,000 characters": Hostile(code * (400_000 // len(code)), at=0.5),
        "400,000 characters, broken": Hostile(("x = (\n" + code * 20) * (400_000 // (20 * len(code))), at=0.5),
        "halves of UTF-16": Hostile("x = '\ud800\udc00\udc00\ud800'\n" * 2_000, at=0.5),
        "nested templates": Hostile("const a = " + "`${" * 3_000, "typescript"),
        "nested generics": Hostile("const a = f<" + "A<" * 3_000, "typescript"),
        "nested arrows": Hostile("const a = " + "(x) => (" * 3_000, "typescriptreact"),
        "a line of 400,000 characters": Hostile("x = [" + "f(a, 'b') + " * 33_000),
        "5,000 imports": Hostile("".join(f"import json.a{n} as a{n}\n" for n in range(5_000)) + "json.\n", at=0.999),
        "an expression of 50,000 signs": Hostile("x = " + "-" * 50_000),
        "blocks in blocks": Hostile("".join(" " * n + "if x:\n" for n in range(99)) * 40, at=0.5),
        "JSON of 6 kB of [": Hostile("[" * 6_000, "json"),
    }


def key(raw: Raw, uri: str, replaced: dict[str, dict[str, int]], written: str) -> int:
    """Write something over a range, and ask behind it; the number of the request."""
    change = {"range": replaced, "text": written}
    document = {"uri": uri, "version": raw.number + 2}
    raw.send("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    first, _, last = written.rpartition("\n")
    start = replaced["start"]
    column = len(last) + (0 if first else start["character"])
    return raw.ask(uri, start["line"] + written.count("\n"), column)


def beside(raw: Raw, name: str, hostile: Hostile, keys: int, rng: Random) -> list[float]:
    """The healthy document's latency for each of some keys, in milliseconds."""
    uri = f"file:///benchmark/{name.replace(' ', '-')}"
    lines = hostile.text.split("\n")
    number = min(len(lines) - 1, int(len(lines) * hostile.at))
    column = len(lines[number])
    raw.open(uri, hostile.text, hostile.language)
    waited = list[float]()
    for turn in range(keys):
        end = {"line": number, "character": column + turn}
        key(raw, uri, {"start": end, "end": end}, "x")
        time.sleep(rng.uniform(0.0, PAUSE_S))
        # The text above is new each time, so that no answer is cached.
        written = (
            f"    amount = {rng.choice(('sum', 'max', 'len'))}(prices) + {raw.number}\n    return {rng.choice('aprs')}"
        )
        whole = {"start": {"line": _LINE - 1, "character": 0}, "end": {"line": _LINE, "character": 99}}
        start_s = time.perf_counter()
        answer = key(raw, HEALTHY, whole, written)
        raw.answer(answer)
        waited.append((time.perf_counter() - start_s) * 1e3)
        raw.seen.clear()
        time.sleep(PAUSE_S)
    raw.send("textDocument/didClose", {"textDocument": {"uri": uri}})
    return waited


def main() -> int:
    """Print the table; status 1 where the healthy document waited for more than a second."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--keys", type=int, default=20, help="in the healthy document, beside each hostile one")
    arguments.add_argument("--only", help="hostile documents whose names hold this")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    rng, most = Random(options.seed), 0.0
    print(f"| {'beside':30} |   median |      max | keys |\n| {'-' * 30} | -------: | -------: | ---: |")
    with running(SERVER) as raw:
        raw.initialize(certainty=0.0)
        raw.open(HEALTHY, _TEXT)
        raw.items(HEALTHY, _LINE, len("    return "))
        for name, hostile in hostiles().items():
            if options.only is None or options.only in name or name == "none":
                waited = beside(raw, name, hostile, options.keys, rng)
                most = max(most, *waited)
                print(
                    f"| {name:30} | {statistics.median(waited):8.0f} | {max(waited):8.0f} | {len(waited):4} |",
                    flush=True,
                )
    return int(most > 1_000)


if __name__ == "__main__":
    sys.exit(main())
