"""Compare `suture check --jsonl` with ast.parse on cut and corrupted standard library files: `python -m benchmarks.agreement`.

A third of the texts keep their true middle, a third have a corrupted middle, a third are corrupted in the right context. For each, `complete`
must agree with ast.parse on the whole, and a true middle must be viable.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile

from tests.support.oracle_python import corrupted, cut, parses, stdlib_sources


def texts(count: int, seed: int, longest: int) -> list[tuple[str, str, str, bool]]:
    """(left, middle, right, whether the middle is the true one of a valid file)."""
    rng = random.Random(seed)
    sources = stdlib_sources(rng, max(1, count // 12), longest)
    cases = []
    for i in range(count):
        left, middle, right = cut(rng.choice(sources), rng)
        if i % 3 == 1:
            middle = corrupted(middle, rng)
        elif i % 3 == 2:
            offset = rng.randrange(len(right) + 1)
            right = right[:offset] + corrupted(right[offset : offset + 60], rng) + right[offset + 60 :]
        cases.append((left, middle, right, i % 3 == 0))
    return cases


def main() -> int:
    """Print the result; exit status 1 for any disagreement."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--texts", type=int, default=10_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--longest", type=int, default=8_000)
    options = arguments.parse_args()
    asked = texts(options.texts, options.seed, options.longest)
    version = ".".join(map(str, sys.version_info[:2]))
    with tempfile.TemporaryFile("w+") as requests:
        for i, (left, middle, right, _) in enumerate(asked):
            line = {"id": i, "language": "python", "left": left, "middle": middle, "right": right, "version": version}
            requests.write(json.dumps(line) + "\n")
        requests.seek(0)
        command = [sys.executable, "-m", "suture.lsp_server", "check", "--jsonl"]
        done = subprocess.run(command, stdin=requests, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = valid = 0
    for (left, middle, right, true), answer in zip(asked, answers, strict=True):
        expected = parses(left + middle + right)
        valid += expected
        if answer["complete"] != expected or (true and not answer["viable"]):
            wrong += 1
            print("DISAGREEMENT", json.dumps([left[-80:], middle, right[:80]]), answer, "ast.parse:", expected)
    micros = sorted(answer["us"] for answer in answers)
    fallbacks = sum(answer["fallback"] != "none" for answer in answers)
    print(
        f"{len(asked)} texts, {valid} valid, {fallbacks} in files broken elsewhere, {wrong} disagreements; "
        f"a whole file from scratch: median {micros[len(micros) // 2] / 1e3:.1f} ms, "
        f"p99 {micros[int(len(micros) * 0.99)] / 1e3:.1f} ms"
    )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
