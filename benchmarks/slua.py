"""A small version of the experiment of the paper on sLua: categories of magic for the game in examples/delve, each from one request.

    python -m benchmarks.slua                          with the embedded model
    python -m benchmarks.slua --model M --minutes 10   with another one; begins no script after ten minutes
    python -m benchmarks.slua --checks 3               how long the check of a token takes, with 55 functions in the API; three seeds

A category is two effects and four talents; correct scripts join the API and the prompt of later ones. Three ways to write them: the model
alone; the model alone, with a second try after its first mistake (the paper's reflection); and the model held to the API. A script counts as
correct where the text begins with a whole script. Every correct one is run, with all its functions, in some states of a mock host.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from time import monotonic, thread_time_ns

from suture import slua
from suture.model import Completion, Model, NoConstraint, Options, complete, load
from suture.parser.languages.slua.state import beginning as beginning_of
from suture.parser.languages.slua.types import NUMBER, Field

DELVE = Path(__file__).parents[1] / "examples" / "delve"
EXAMPLES = (("effect: a slow poison that stacks", "venom"), ("talent: burns everybody around a place", "fireball"))
CATEGORIES: tuple[tuple[str, tuple[str, str], tuple[str, str, str, str]], ...] = (
    ("fire", ("burns for some turns", "glows and hurts who strikes it"), ("a bolt of flame", "a ring of fire", "sets a trap of embers", "ashes that heal the user")),
    ("ice", ("freezes, and thaws by itself", "a shell of frost"), ("a shard of ice", "a cold wind that pushes", "frost on everybody near", "an icy step to another place")),
    ("storm", ("sparks that jump", "static that stacks"), ("lightning that jumps to enemies", "a thunderclap", "a gust that throws back", "a charged trap")),
    ("nature", ("thorns", "slow regrowth"), ("roots that hold", "a healing bloom", "a swarm of wasps", "bark for the user")),
    ("shadow", ("a mark that makes wounds worse", "fear"), ("steps behind an enemy", "drains health", "a cloud of darkness", "a whisper that hurts")),
    ("light", ("a blessing that heals", "a ward that gives back damage"), ("a ray that hurts", "heals everybody near", "blinds an enemy", "a circle of protection")),
    ("blood", ("bleeds more each turn", "rage that stacks"), ("a cut that bleeds", "pays health for damage", "a feast after a kill", "a cry that hurts all enemies near")),
    ("clockwork", ("a bomb that ticks", "a gear that counts turns"), ("places a bomb", "a spring that pushes", "repairs the user", "a volley of bolts")),
)  # fmt: skip
MODES = ("unconstrained", "reflection", "constrained")
STATES = 5


@dataclass
class Counted:
    """The counts of one way to write scripts."""

    scripts: int = 0
    correct: int = 0
    tokens: int = 0
    model_ms: float = 0.0
    constraint_ms: float = 0.0
    runs: int = 0
    budgets: int = 0
    errors: list[str] = field(default_factory=list[str])

    def add(self, completion: Completion) -> None:
        """Count the cost of a completion."""
        self.tokens += completion.tokens
        self.model_ms += completion.model_ms
        self.constraint_ms += completion.constraint_ms


class Writer:
    """One way to write the scripts of a category, with the scripts so far."""

    def __init__(self, mode: str, counted: Counted) -> None:
        self.mode, self.counted = mode, counted
        api = slua.Api.load(DELVE / "delve.slua-api")
        self.examples = [(asked, (DELVE / "scripts" / f"{script}.slua").read_text()) for asked, script in EXAMPLES]
        self.api = api.with_script(api.script(self.examples[0][1]))

    def write(self, kind: str, request: str, model: Model, options: Options) -> None:
        """Write a script, try it out, and let it join the API and the prompt."""
        script = written(self.api, kind, request, self.examples, model, self.mode, options, self.counted)
        self.counted.scripts += 1
        if script is None:
            return
        self.counted.correct += 1
        tried(self.api, script, self.counted)
        self.api = self.api.with_script(script)
        self.examples = [*self.examples[:2], (f"{kind}: {request}", script.text)]  # small models forget the rest


def written(
    api: slua.Api,
    kind: str,
    request: str,
    examples: list[tuple[str, str]],
    model: Model,
    mode: str,
    options: Options,
    counted: Counted,
) -> slua.Script | None:
    """A script in one of the ways; None for an invalid one."""
    prompt = slua.prompt(api, kind, request, examples)
    if mode == "constrained":
        completion = complete(model, slua.start(api, kind), prompt, "", replace(options, end_soon=False))
        counted.add(completion)
        return api.script(completion.text, kind)
    for attempt in range(1 + (mode == "reflection")):
        completion = complete(model, NoConstraint(), prompt, "", replace(options, mode="unconstrained"))
        counted.add(completion)
        whole = beginning(api, kind, completion.text)
        if whole is not None:
            return api.script(whole, kind)
        problem = api.check(completion.text, kind)
        assert problem is not None
        if attempt == 0:
            line, column = problem.place(completion.text)
            told = f"-- line {line}, column {column}: {problem.message}. The same, corrected:\n"
            prompt = f"{prompt}{completion.text.rstrip()}\n{told}"
    return None


def beginning(api: slua.Api, kind: str, text: str) -> str | None:
    """The whole script at the beginning of a text."""
    state = api.beginning(kind)
    for index, char in enumerate(text):
        after = state.read(char)
        if after is None:
            return None
        state = after
        if state.finished:
            return text[: index + 1]
    return None


def tried(api: slua.Api, script: slua.Script, counted: Counted) -> None:
    """Run a script and its registered functions."""
    for seed in range(STATES):
        rehearsal = slua.Rehearsal(api.declared, seed)
        host = api.bind(rehearsal.implementations, slua.Budget(instructions=200_000))
        counted.runs += 1
        try:
            loaded = host.load(script)
            outcomes = [loaded.outcome]
            for _, record in loaded.registered:
                for name, arguments in rehearsal.hooks(script.tree, record):
                    outcomes.append(host.run(getattr(record, name), *arguments).outcome)
            counted.budgets += any(outcome != "done" for outcome in outcomes)
        except Exception as error:  # an error of Lua or of the host: must not happen
            counted.errors.append(repr(error))


def checks(model: Model, seed: int) -> str:
    """Time the uncached check of single tokens along the example scripts: the next one, and eight random ones."""
    random = Random(seed)
    spellings = (spelling.decode("utf-8", "ignore") for spelling in model.vocabulary.bytes_of if spelling)
    texts = [text for text in spellings if text]
    taken: list[int] = []
    for path in sorted((DELVE / "scripts").glob("*.slua")):
        api = slua.Api.load(DELVE / "delve.slua-api").declared
        for effect in ("venom", "thorns", "chill", "burn", "fear"):
            api = api.registered("effect", effect, {"dose": Field(NUMBER)})
        text = path.read_text().split("\n", 1)[1].replace('id = "', 'id = "new_')
        state = beginning_of(api)
        for token in model.vocabulary.encode(text):
            right = (model.vocabulary.bytes_of[token] or b"").decode()
            for tried in (*random.choices(texts, k=8), right):
                before = thread_time_ns()
                state.advance(tried)
                taken.append(thread_time_ns() - before)
            after = state.advance(right)
            if after is None:  # names missing in this API
                break
            state = after
    taken.sort()
    median, most = taken[len(taken) // 2] / 1e3, taken[len(taken) * 99 // 100] / 1e3
    return f"{len(taken)} checks: {median:.1f} us in the median, {most:.0f} us at the 99th percentile"


def table(counted_of: dict[str, Counted]) -> Iterator[str]:
    """The rows of the report."""
    yield "| | scripts | correct | tokens a script | time in the constraint | runs | errors in runs | budget used up |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for mode, counted in counted_of.items():
        if counted.scripts:
            share = counted.constraint_ms / max(1e-9, counted.constraint_ms + counted.model_ms)
            yield (
                f"| {mode} | {counted.scripts} | {counted.correct} ({counted.correct / counted.scripts:.0%}) | {counted.tokens / counted.scripts:.0f} "
                f"| {share:.1%} | {counted.runs} | {len(counted.errors)} | {counted.budgets} |"
            )


def main() -> None:
    """Run the experiment of the command line, each script in all three ways."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--model", help="a folder, GGUF file or server (default: the embedded model)")
    arguments.add_argument("--tokens", type=int, default=200, help="of a script, at most")
    arguments.add_argument("--temperature", type=float, default=0.7)
    arguments.add_argument("--minutes", type=float, default=float("inf"), help="begin no script later")
    arguments.add_argument("--checks", type=int, metavar="SEEDS", help="time single checks instead, with so many seeds")
    asked = arguments.parse_args()
    model = load(asked.model)
    for seed in range(asked.checks or 0):
        print(checks(model, seed))
    if asked.checks:
        return
    options = Options(max_tokens=asked.tokens, temperature=asked.temperature)
    counted_of = {mode: Counted() for mode in MODES}
    end = monotonic() + 60 * asked.minutes
    for number_of, (name, effects, talents) in enumerate(CATEGORIES):
        writers = [Writer(mode, counted_of[mode]) for mode in MODES]
        for number, what in enumerate((*effects, *talents)):
            if monotonic() > end:
                break
            kind = "effect" if number < len(effects) else "talent"
            for writer in writers:
                seeded = replace(options, seed=100 * number_of + number)
                writer.write(kind, f"{name}: {what}", model, seeded)
    print(f"{model.name}, {asked.tokens} tokens, temperature {asked.temperature}")
    print("\n".join(table(counted_of)))
    for mode, counted in counted_of.items():
        for error in counted.errors:
            print(mode, error)


if __name__ == "__main__":
    main()
