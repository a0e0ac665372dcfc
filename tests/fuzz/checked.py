"""Hostile files for the grammars of tree-sitter, each with a budget of time and memory: `python -m tests.fuzz.checked --minutes 10 --seed 1`.

Texts are made of the grammar's own tokens and of a sample: one piece many times over, deep nesting, soups of tokens, mutated samples, long
lines, noise. A child process reads each like the server (a hole, some texts, their bridges, the pending closers, another key) and is killed
when it takes too long. A crash, a hang, and an exceeded budget are failures; the texts are added to .fuzz/checked/.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from threading import Timer

from suture.parser import language
from suture.parser.checked import grammars
from suture.parser.checked.grammars import CHECKED

FOUND = Path(".fuzz") / "checked"
SAMPLES = Path(__file__).parents[1] / "data" / "checked"
HANG_S = 120.0
"""The timeout by the clock, then the child is killed."""
BUDGET_S = 2.5
"""Processor time for a file and its questions: READ_S once, and the bounds of checks and guesses."""
BUDGET_MB = 500.0
"""Growth of the child's peak; a million characters of one sign make trees of 150 MB."""
_MEMORY = 6 << 30
_SIZES = (200, 3_000, 20_000, 60_000, 200_000, 900_000)
_ANYWHERE = (
    *(
        "\n",
        " ",
        "\t",
        "x",
        "é",
        "0",
        "'",
        '"',
        "`",
        "\\",
        "\r\n",
        "\ufeff",
        "\u2028",
        "$",
        "<",
        "//",
        "/*",
        "#",
        "\n\n",
        ";\n",
        "  ",
    ),
    *("<<A", "<<'E'\n", "#{", "${", "$(", "<a>", 'r#"', "%w(", "<" + "a" * 300 + ">", "<<" + "A" * 300 + "\n", "- "),
)


@dataclass(frozen=True)
class Answer:
    """The cost of reading a text."""

    seconds: float
    megabytes: float
    problem: str = ""


def tokens_of(name: str) -> list[str]:
    """The tokens of a grammar with a fixed spelling."""
    grammar = grammars.load(name)
    kinds = range(grammar.node_kind_count)
    found = {
        grammar.node_kind_for_id(kind) or ""
        for kind in kinds
        if grammar.node_kind_is_visible(kind) and not grammar.node_kind_is_named(kind)
    }
    return sorted(found - {""})


def hostile(rng: Random, name: str, sample: str, tokens: list[str], size: int) -> str:
    """A text of about `size` characters."""

    def piece() -> str:
        joint = rng.choice(("", "", " ", "\n"))
        return (
            joint.join(rng.choice((rng.choice(tokens), rng.choice(_ANYWHERE))) for _ in range(rng.randrange(1, 5)))
            + joint
        )

    def many(text: str, most: int = size) -> str:
        return text * (most // max(1, len(text)) + 1)

    def cut() -> str:
        at = rng.randrange(len(sample))
        return sample[at : at + rng.choice((5, 40, 400))]

    kind = rng.randrange(7)
    if kind == 0:
        text = many(piece()) + rng.choice((piece(), ""))
    elif kind == 1:
        text = many(piece(), size // 2) + many(piece(), size // 2)
    elif kind == 2:
        text = "".join(piece() for _ in range(size // 6 + 1))
    elif kind == 3:
        text = rng.randbytes(min(size, 60_000)).decode(rng.choice(("latin-1", "utf-16", "ascii")), "replace")
    elif kind == 4:
        text = many(rng.choice((cut() + piece(), cut())))
    elif kind == 5:
        text = many(sample)
        for _ in range(rng.randrange(1, 200)):
            at = rng.randrange(len(text))
            text = text[:at] + piece() + text[at + rng.choice((0, 1, 5)) :]
    else:
        text = many(sample.replace("\n", rng.choice((" ", "\r", "\u2028"))))
    head = rng.choice(("", "", sample, sample[: rng.randrange(len(sample))]))
    return (head + text)[: size + 5_000]


def ask(name: str, text: str, offset: int, typed: str) -> None:
    """Ask the server's questions about a place: unchanged, with a few texts, and after a key."""
    session = language(name).session()
    for now, at in ((text, offset), (text[:offset] + typed + text[offset:], offset + len(typed))):
        hole = session.hole(now, at)
        session.pending(now, at)
        state = session.mended(hole, now, at).state
        if state is None:
            continue
        assert state.region in ("code", "comment", "string")
        for fill in ("x", typed, "(x", "x;\n"):
            after = state.advance(fill)
            assert after is not None and after.complete in (True, False)
            assert after.stays_in_hole in (True, False)
        assert len(state.bridges()) <= 1


def peak_mb() -> float:
    """The peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "darwin" else 1024) / 1024 * 1.024


def serve() -> None:
    """Read questions, a line of JSON each, and answer them."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    for line in sys.stdin:
        question = json.loads(line)
        before, began = peak_mb(), time.process_time()
        try:
            ask(question["language"], question["text"], question["offset"], question["typed"])
            problem = ""
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        print(json.dumps((time.process_time() - began, peak_mb() - before, problem)), flush=True)


class Child:
    """A process for hostile texts, replaced when it dies."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def ask(self, question: dict[str, object]) -> Answer:
        """The cost of a question; a problem where the process died or had to be killed."""
        process = self._process
        if process is None:
            command = [sys.executable, "-m", "tests.fuzz.checked", "--child"]
            process = self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        assert process.stdin and process.stdout
        timer = Timer(HANG_S, process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if line:
            return Answer(*json.loads(line))
        self._process = None
        code = process.wait()
        return Answer(HANG_S, 0, "it hangs" if code == -9 else f"it dies with {code}")

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._process.stdin:
            self._process.stdin.close()
            self._process.wait()
            self._process = None


def main() -> int:
    """Fuzz until the time is up; print the failures."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--minutes", type=float, default=10.0)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--languages", nargs="+", choices=tuple(CHECKED), default=tuple(CHECKED))
    arguments.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.child:
        serve()
        return 0
    rng, child, failures, asked = Random(options.seed), Child(), 0, 0
    worst = dict.fromkeys(options.languages, 0.0)
    samples = {name: (SAMPLES / f"sample.{name}").read_text("utf-8") for name in options.languages}
    tokens = {name: tokens_of(name) for name in options.languages}
    until = time.monotonic() + 60 * options.minutes
    while time.monotonic() < until:
        for name in options.languages:
            text = hostile(rng, name, samples[name], tokens[name], rng.choice(_SIZES))
            offset = rng.choice((0, len(text), len(text) // 2, rng.randrange(len(text) + 1)))
            typed = rng.choice(tokens[name])
            question: dict[str, object] = {"language": name, "text": text, "offset": offset, "typed": typed}
            answer, asked = child.ask(question), asked + 1
            worst[name] = max(worst[name], answer.seconds)
            problem = answer.problem or ("it takes too long" if answer.seconds > BUDGET_S else "")
            problem = problem or ("it takes too much memory" if answer.megabytes > BUDGET_MB else "")
            if problem:
                failures += 1
                FOUND.mkdir(parents=True, exist_ok=True)
                (FOUND / f"{options.seed}-{failures}.json").write_text(json.dumps(question))
                print(
                    f"{name}: {problem} ({answer.seconds:.2f} s, {answer.megabytes:.0f} MB), {len(text)} characters:",
                    end=" ",
                )
                print(f"{text[:60]!r} ... {text[-60:]!r}", flush=True)
    child.close()
    print(
        f"{asked} files, {failures} failures; most seconds:", ", ".join(f"{name} {worst[name]:.2f}" for name in worst)
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
