"""The page with our numbers beside the papers': tables and drawings from a folder of results.

The page above the marker is written by hand and kept.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from suture.model import Options

from . import plots, published
from .intervals import fit_line, mean_interval, pass_at, percentile, wilson
from .record import Record, read

MARKER = "<!-- Below this line: written by `python -m benchmarks.papers report`. -->"
_ORDER = ("unconstrained", "checked", "constrained", "constrained-leaving", "shipped")


def write(runs: Path, to: Path) -> None:
    """Write the page, and its drawings beside it in a folder of the same name."""
    by_experiment: dict[str, list[Record]] = defaultdict(list)
    for record in read(runs):
        by_experiment[record["experiment"]].append(record)
    page = to.read_text(encoding="utf-8") if to.exists() else "# The papers' experiments\n\n"
    above = page.partition(MARKER)[0]
    sections = [make(by_experiment, to.parent / to.stem) for make in _SECTIONS]
    to.parent.mkdir(parents=True, exist_ok=True)
    text = above + MARKER + "\n\n" + "\n\n".join(section for section in sections if section) + "\n"
    to.write_text(text, encoding="utf-8")


Runs = Mapping[str, Sequence[Record]]


# -- tables


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; the first row is the head, and all columns but the first are numbers."""
    head, *body = rows
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " --: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body])


def share(successes: int, count: int) -> str:
    """A share with its 95 % interval."""
    if not count:
        return "–"
    low, high = wilson(successes, count)
    return f"{100 * successes / count:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def _theirs(rows: Sequence[Sequence[str]]) -> str:
    return "Published, with the paper's models:\n\n" + table(rows)


def _groups(records: Iterable[Record]) -> list[tuple[str, str, str, list[Record]]]:
    """(model, row, mode, records), in the order of display."""
    grouped: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
    for record in records:
        grouped[record["model"], record["row"], record["mode"]].append(record)
    ordered = sorted(grouped, key=lambda key: (key[0], key[1], _ORDER.index(key[2]) if key[2] in _ORDER else 9))
    return [(*key, grouped[key]) for key in ordered]


def _made(records: Sequence[Record]) -> str:
    """The origin of the numbers."""
    machines = ", ".join(sorted({record["machine"] for record in records}))
    commits = ", ".join(sorted({record["commit"].removesuffix("-dirty") for record in records}))
    return f"Measured here on {machines}; commit {commits}."


def _shared_jobs(records: Sequence[Record], modes: Sequence[str]) -> list[Record]:
    """The records of jobs done in all of these modes, so that rows are comparable."""
    done: dict[tuple[str, str], set[str]] = defaultdict(set)
    for record in records:
        done[record["model"], record["job"]].add(record["mode"])
    return [r for r in records if done[r["model"], r["job"]].issuperset(modes)]


# -- Melcer et al.

_CUTS = {
    "melcer-boundary": ("From within one symbol to within another", "Table I"),
    "melcer-randspan": ("Random spans of 100 characters, or a fifth of the file", "Table II"),
}


def _melcer(runs: Runs, folder: Path) -> str:
    parts = ["## Fill in the middle (Melcer et al.)"]
    bars: dict[str, dict[str, plots.Bar]] = {}
    ended: dict[str, dict[str, int]] = {}
    for name, (title, where) in _CUTS.items():
        parts.append(f"### {title} (`{name}`; {where})\n\n" + _theirs(published.MELCER[name]))
        records = _shared_jobs(runs.get(name, ()), ("unconstrained", "checked", "constrained"))
        if not records:
            parts.append("Not run.")
            continue
        rows = [["model", "mode", "cuts", "valid", "exact", "similarity", "ended by a bridge"]]
        for model, _, mode, some in _groups(records):
            if mode == "shipped":
                continue
            valid, count = sum(r["valid"] for r in some), len(some)
            rows.append([
                model, mode, f"{count:,}", share(valid, count), share(sum(r["exact"] for r in some), count),
                _similarity(some), share(sum(r["ended"] == "bridge" for r in some), count),
            ])  # fmt: skip
            bars.setdefault(f"{name.removeprefix('melcer-')}\n{model}", {})[mode] = (
                valid / count,
                *wilson(valid, count),
            )
            if mode == "constrained":
                counted = Counter(r["ended"] for r in some)
                kinds = ("model", "earlier", "bridge", "length", "nothing")
                ended[f"{name.removeprefix('melcer-')}, {model}"] = {
                    kind: counted[kind] for kind in kinds if counted[kind]
                }
        parts.append(table(rows))
        parts.append(f"{_budgets(records)} {_made(records)}")
    if bars:
        plots.bars(folder / "valid.svg", bars, "valid files, % with 95 % intervals")
        plots.stacked(folder / "ended.svg", ended, "how constrained completions ended, %")
        parts.append(
            f"![Valid files by mode]({folder.name}/valid.svg)\n\n![How constrained completions ended]({folder.name}/ended.svg)"
        )
    return "\n\n".join(parts)


def _budgets(records: Sequence[Record]) -> str:
    """The budgets of the texts, by model where they differ."""
    default = Options().max_tokens
    limits_of = {model: {r["options"].get("max_tokens", default) for r in records if r["model"] == model}
             for model in sorted({r["model"] for r in records})}  # fmt: skip
    told = {model: " or ".join(map(str, sorted(budgets))) for model, budgets in limits_of.items()}
    if len(set(told.values())) == 1:
        return f"At most {next(iter(told.values()))} tokens."
    return "At most " + ", ".join(f"{budget} tokens ({model})" for model, budget in told.items()) + "."


def _similarity(records: Sequence[Record]) -> str:
    values = [r["similarity"] for r in records if r["similarity"] is not None]
    if not values:
        return "–"
    mean, low, high = mean_interval(values)
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"


def _failures(runs: Runs, folder: Path) -> str:
    parts = ["### Which completions fail (`melcer-failures`; VII-C1)", _theirs(published.FAILURES)]
    rows = [
        [
            "model",
            "mode",
            "cuts",
            "not valid",
            "engine and ast.parse disagree",
            "never connected",
            "of these right unconstrained",
        ]
    ]
    records = [record for name in _CUTS for record in runs.get(name, ())]
    free = {(r["model"], r["job"]): r for r in records if r["mode"] == "unconstrained"}
    for model in sorted({r["model"] for r in records}):
        for mode in ("unconstrained", "checked", "constrained"):
            some = [r for r in records if r["model"] == model and r["mode"] == mode]
            bad = [r for r in some if not r["valid"]]
            wrong = sum(r["valid"] != r["complete"] for r in some)
            right = sum(free[model, r["job"]]["valid"] for r in bad if (model, r["job"]) in free)
            if some:
                never = sum(not r["complete"] for r in bad)
                rows.append([model, mode, *(f"{n:,}" for n in (len(some), len(bad), wrong, never, right))])
    return "\n\n".join([*parts, table(rows) if len(rows) > 1 else "Not run."])


def _escape(runs: Runs, folder: Path) -> str:
    title = "### Leaving the hole (`melcer-escape`; VIII-A, named there as future work)"
    rows = [["model", "mode", "cuts", "leaves the hole"]]
    records = list(runs.get("melcer-boundary", ()))
    for model, _, mode, some in _groups(records):
        judged = [r for r in some if r["values"].get("stays") is not None]
        if mode in ("constrained", "constrained-leaving") and judged:
            rows.append(
                [model, mode, f"{len(judged):,}", share(sum(not r["values"]["stays"] for r in judged), len(judged))]
            )
    true = {r["job"]: r["values"].get("true_stays") for r in records}
    known_true = [stays for stays in true.values() if stays is not None]
    if known_true:
        rows.append(["none", "the true text", f"{len(known_true):,}", share(known_true.count(False), len(known_true))])
    if len(rows) == 1:
        return title + "\n\nNot run."
    text = "Nothing is published. A text leaves the hole when it closes a bracket or block that the right context goes on in."
    return f"{title}\n\n{text}\n\n{table(rows)}"


def _branches(runs: Runs, folder: Path) -> str:
    title = "### Ways to read the right context (`melcer-branches`; V-B)\n\n" + _theirs(published.BRANCHES)
    branches = [r["values"]["branches"] for r in runs.get("melcer-branches", ())]
    if not branches:
        return title + "\n\nNot run."
    states = [r["values"]["states"] for r in runs["melcer-branches"]]
    met = [r["values"]["met"] for r in runs["melcer-branches"]]
    rows = [
        ["", "median", "most"],
        ["lexer states that meet it while the true text is written", f"{statistics.median(met):.0f}", str(max(met))],
        ["ways that differ in the first 200 characters", f"{statistics.median(branches):.0f}", str(max(branches))],
        ["lexer states that may enter", f"{statistics.median(states):.0f}", str(max(states))],
    ]
    note = (
        f"{len(branches):,} right contexts. What the paper counts as a branch is not said exactly enough to count the same. The last two rows "
        "ask all the lexer's states, those within strings, comments and f-strings included; a completion runs the right "
        "context only from the states that meet it."
    )
    return f"{title}\n\n{table(rows)}\n\n{note}"


def _timing(runs: Runs, folder: Path) -> str:
    title = "### Time against context (`melcer-timing`; Figure 11)\n\n" + _theirs(published.TIMING)
    values = [r["values"] for r in runs.get("melcer-timing", ()) if r["values"]["tokens"]]
    if not values:
        return title + "\n\nNot run."
    names = {
        "once": "once for a hole",
        "token": "a token",
        "parse": "ast.parse of the file, which a checker asks for each character",
    }
    series = {title: [(v["characters"], max(v[key], 1e-4)) for v in values] for key, title in names.items()}
    fits = {title: fit_line(points) for title, points in series.items()}
    plots.scatter(
        folder / "timing.svg", {t.split(",")[0]: p for t, p in series.items()},
        {t.split(",")[0]: f for t, f in fits.items()}, "characters of context", "milliseconds of processor time",
    )  # fmt: skip
    rows = [["milliseconds, x characters of context", "fit", "median", "p99"]]
    for title_, points in series.items():
        slope, intercept = fits[title_]
        taken = [b for _, b in points]
        fit = f"{slope:.3g} x {'+' if intercept >= 0 else '-'} {abs(intercept):.3g}"
        rows.append([title_, fit, f"{statistics.median(taken):.3g}", f"{percentile(taken, 0.99):.3g}"])
    drawn = f"![Time against the characters of context]({folder.name}/timing.svg)"
    return (
        f"{title}\n\n{table(rows)}\n\n{len(values):,} holes of random spans. {_made(runs['melcer-timing'])}\n\n{drawn}"
    )


# -- SynCode


def _errors(runs: Runs, folder: Path) -> str:
    parts = ["## Programs behind their heads (SynCode)"]
    sections = (
        ("syncode-errors-py", "Syntax errors in Python", "Table 1", published.ERRORS_PY),
        ("syncode-errors-go", "Syntax errors in Go", "Table 2", published.ERRORS_GO),
        ("syncode-few-py", "With examples before the problem, Python", "Table 6", published.FEW),
        ("syncode-few-go", "With examples before the problem, Go", "not published", None),
    )
    for name, title, where, theirs in sections:
        parts.append(f"### {title} (`{name}`; {where})")
        if theirs is not None:
            parts.append(_theirs(theirs))
        parts.append(_error_table(_shared_jobs(runs.get(name, ()), ("unconstrained", "constrained"))))
    return "\n\n".join(parts)


_INDENTATION = ("IndentationError", "TabError")


def _error_table(records: Sequence[Record]) -> str:
    if not records:
        return "Not run."
    rows = [
        [
            "model",
            "set",
            "mode",
            "programs",
            "syntax errors",
            "of them indentation",
            "ended by a bridge",
            "pass the tests",
        ]
    ]
    for model, row, mode, some in _groups(records):
        count = len(some)
        indentation = sum(r["error"] in _INDENTATION and not r["valid"] for r in some)
        rows.append([
            model, row, mode, str(count), share(sum(not r["valid"] for r in some), count), str(indentation),
            str(sum(r["ended"] == "bridge" for r in some)), share(sum(bool(r["tests"]) for r in some), count),
        ])  # fmt: skip
    return f"{table(rows)}\n\n{_budgets(records)} {_made(records)}"


_SAMPLES = 10  # of a problem, the least to show pass@10


def _pass(runs: Runs, folder: Path) -> str:
    parts = ["### Programs that pass their tests (`syncode-pass`; Table 4)", _theirs(published.PASS)]
    rows = [["model", "language", "mode", "problems", "samples each", "pass@1", "pass@10"]]
    for name, language in (("syncode-errors-py", "Python"), ("syncode-errors-go", "Go")):
        records = _shared_jobs(runs.get(name, ()), ("unconstrained", "constrained"))
        for model, row, mode, some in _groups(records):
            if row != "HumanEval":
                continue
            tasks: dict[str, list[bool]] = defaultdict(list)
            for record in some:
                tasks[record["data"]].append(bool(record["tests"]))
            several = [attempts for attempts in tasks.values() if len(attempts) >= _SAMPLES]
            for measured in ([*tasks.values()], several) if 0 < len(several) < len(tasks) else ([*tasks.values()],):
                samples = sorted({len(attempts) for attempts in measured})
                each = [pass_at(1, len(attempts), sum(attempts)) for attempts in measured]
                once = share(round(sum(each)), len(each)) if samples == [1] else _mean_share(each)
                ten = (
                    [pass_at(_SAMPLES, len(attempts), sum(attempts)) for attempts in measured]
                    if samples[0] >= _SAMPLES
                    else []
                )
                span = "–".join(map(str, sorted({samples[0], samples[-1]})))
                rows.append([model, language, mode, str(len(measured)), span, once, _mean_share(ten) if ten else "–"])
    return "\n\n".join([*parts, table(rows) if len(rows) > 1 else "Not run."])


def _mean_share(values: Sequence[float]) -> str:
    mean, low, high = (100 * value for value in mean_interval(values))
    return f"{mean:.1f} % [{max(0.0, low):.1f}, {min(100.0, high):.1f}]"


def _time(runs: Runs, folder: Path) -> str:
    parts = ["### Overhead (`syncode-time`; Table 3)", _theirs(published.TIME)]
    rows = [["model", "experiment", "completions", "model, ms a token", "constraint, ms a token", "ratio"]]
    for name, records in sorted(runs.items()):
        for model, _, mode, some in _groups(records):
            timed = [r for r in some if r["ms"].get("model") and r["tokens"] and r["ms"].get("constraint") is not None]
            if mode == "constrained" and len(timed) >= 5:
                spent = sum(r["ms"]["model"] for r in timed)
                checks, tokens = sum(r["ms"]["constraint"] for r in timed), sum(r["tokens"] for r in timed)
                ratio = f"{(spent + checks) / spent:.2f}"
                rows.append([model, name, str(len(timed)), f"{spent / tokens:.1f}", f"{checks / tokens:.2f}", ratio])
    note = "By the wall clock of a busy machine, prompts and searches for bridges included: what counts is the ratio."
    if len(rows) > 1:
        parts.append(table(rows) + "\n\n" + note)
    if runs.get("syncode-time"):
        parts.append(_beside(runs["syncode-time"]))
    return "\n\n".join(parts if len(parts) > 2 else [*parts, "Not run."])


def _beside(records: Sequence[Record]) -> str:
    """SynCode's own program, in the same run."""
    values = [r["values"] for r in records]
    theirs = [v for v in values if v["syncode"]]
    tokens = sum(v["tokens"] for v in values)
    rows = [
        [
            "along the true programs of HumanEval",
            "programs",
            "tokens",
            "ms a token",
            "true tokens masked out",
            "gave up",
        ]
    ]
    for key, title in (("check", "Suture, the check of one token"), ("mask", "Suture, the mask of all tokens")):
        lost = f"{tokens - sum(v['kept'] for v in values):,}" if key == "mask" else "0"
        rows.append([title, str(len(values)), f"{tokens:,}", f"{sum(v[key] for v in values) / tokens:.2f}", lost, "0"])
    if theirs:
        version = theirs[0]["syncode"]["version"]
        count = sum(v["tokens"] for v in theirs)
        rows.append([
            f"SynCode {version}, the mask of all tokens", str(len(theirs)), f"{count:,}",
            f"{sum(v['syncode']['mask'] for v in theirs) / count:.2f}",
            f"{count - sum(v['syncode']['kept'] for v in theirs):,}", str(sum(v["syncode"]["failed"] for v in theirs)),
        ])  # fmt: skip
    text = "Processor time, in the embedded vocabulary of 8,192 tokens, in one run. A program that gives up masks nothing from there on."
    if theirs:
        built = theirs[0]["syncode"]
        text += f" SynCode's masks took {built['build_s']:.0f} s to build, in a process of {built['peak_mb']:,.0f} MB."
    return f"{table(rows)}\n\n{text} {_made(records)}"


def _incremental(runs: Runs, folder: Path) -> str:
    title = "### Incremental parsing (`syncode-incremental`; Figure 4b)\n\n" + _theirs(published.INCREMENTAL)
    values = [r["values"] for r in runs.get("syncode-incremental", ()) if "300" in r["values"]["incremental"]]
    if not values:
        return title + "\n\nNot run."
    series: dict[str, list[tuple[float, float]]] = {"incremental": [], "all read again": []}
    rows = [["tokens", "incremental, ms", "all read again, ms", "speed-up"]]
    for length in sorted(values[0]["incremental"], key=int):
        kept = statistics.mean(v["incremental"][length] for v in values)
        again = statistics.mean(v["again"][length] for v in values)
        series["incremental"].append((int(length), kept))
        series["all read again"].append((int(length), again))
        rows.append([length, f"{kept:.1f}", f"{again:.0f}", f"{again / kept:.0f}"])
    plots.lines(folder / "incremental.svg", series, "tokens", "milliseconds of processor time, in all")
    note = (
        f"Means of {len(values)} files, left contexts of up to 2,000 characters. {_made(runs['syncode-incremental'])}"
    )
    return f"{title}\n\n{table(rows)}\n\n{note}\n\n![Time with and without incremental parsing]({folder.name}/incremental.svg)"


def _store(runs: Runs, folder: Path) -> str:
    title = "### Mask stores (`syncode-store`; Table 5)\n\n" + _theirs(published.STORE)
    rows = [["language, vocabulary", "tokens", "build, s", "load, s", "on disk, MB", "memory at most, MB"]]
    for record in sorted(runs.get("syncode-store", ()), key=lambda r: r["row"]):
        values = record["values"]
        rows.append([
            record["row"], f"{values['tokens']:,}", f"{values['build_s']:.1f}", f"{values['load_s']:.2f}", f"{values['disk_mb']:.1f}",
            f"{values['peak_mb']:.0f}",
        ])  # fmt: skip
    if len(rows) == 1:
        return title + "\n\nNot run."
    note = (
        "Seconds of processor time; memory is that of the whole process, with the grammar's tables, Python and PyTorch."
    )
    return f"{title}\n\n{table(rows)}\n\n{note} {_made(runs['syncode-store'])}"


def _exact(runs: Runs, folder: Path) -> str:
    title = "### Exactness of masks (`syncode-exact`; Theorems 3.1 and 3.2)\n\n" + _theirs(published.EXACT)
    values = [r["values"] for r in runs.get("syncode-exact", ())]
    if not values:
        return title + "\n\nNot run."
    kept, refused = (sum(v[key] for v in values) for key in ("kept_sampled", "refused_sampled"))
    rows = [
        ["", "asked", "wrong"],
        ["true tokens that are refused", f"{len(values):,}", share(sum(v["lost"] for v in values), len(values))],
        [
            "kept tokens for which no valid file was found",
            f"{kept:,}",
            share(sum(len(v["without_witness"]) for v in values), kept),
        ],
        [
            "refused tokens for which a valid file was found",
            f"{refused:,}",
            share(sum(len(v["wrongly_refused"]) for v in values), refused),
        ],
    ]
    note = (
        f"{len(values):,} random prefixes in Python, the embedded vocabulary. A valid file is one that ast.parse takes: for a kept token "
        "with a bridge, for a refused one with one of 1,444 short tails."
    )
    return f"{title}\n\n{table(rows)}\n\n{note}"


# -- in no paper's table


def _scripts(runs: Runs, folder: Path) -> str:
    """Both experiments of the third paper: the same scripts, their speed and their quality."""
    parts = ["## Scripts (the tree of parsers, and sLua)"]
    records = runs.get("slua-category", ())
    speed, worth = (
        [["model", "mode", "scripts", "tokens", "tokens a second", "share of time in the constraint"]],
        [["model", "mode", "scripts", "correct", "runs", "errors in runs", "budget used up"]],
    )
    for model, mode in sorted(
        {(r["model"], r["mode"]) for r in records}, key=lambda key: (key[0], "urc".index(key[1][0]))
    ):
        some = [r["values"] for r in records if (r["model"], r["mode"]) == (model, mode)]
        count: dict[str, float] = {key: sum(v[key] for v in some) for key in some[0]}
        spent = count["model_ms"] + count["constraint_ms"]
        speed.append([model, mode, f"{count['scripts']:.0f}", f"{count['tokens']:,.0f}", f"{1e3 * count['tokens'] / spent:.1f}",
                      f"{100 * count['constraint_ms'] / spent:.1f} %"])  # fmt: skip
        worth.append([model, mode, f"{count['scripts']:.0f}", share(int(count["correct"]), int(count["scripts"])),
                      *(f"{count[key]:.0f}" for key in ("runs", "errors", "budgets"))])  # fmt: skip
    parts.append("### Speed (`slua-speed`; Table 1)")
    parts.append(_theirs(published.SLUA_SPEED))
    parts.append(
        table(speed) + "\n\nBy the wall clock of a busy machine: compare the shares." if records else "Not run."
    )
    parts.append("### Categories of scripts (`slua-category`; Figure 3)")
    parts.append(
        "Published as bars, of which the values are not in the text; all failures under the constraint came from its limit of 1,500 tokens."
    )
    note = (
        "A category is two effects and four talents for the game in `examples/delve/`, of at most 120 tokens each, at temperature 0.7. A text is "
        "correct when it begins with a whole script; each correct one is run in five states of a made-up host."
    )
    parts.append(f"{table(worth)}\n\n{note} {_made(records)}" if records else "Not run.")
    return "\n\n".join(parts)


def _infilling(runs: Runs, folder: Path) -> str:
    title = "## HumanEval infilling (`fim-humaneval`; Bavarian et al., 2022)"
    records = _shared_jobs(runs.get("fim-humaneval", ()), ("unconstrained", "checked", "constrained"))
    if not records:
        return title + "\n\nNot run."
    rows = [["model", "mode", "tasks", "valid", "pass@1", "exact", "ended by a bridge"]]
    for model, _, mode, some in _groups(records):
        count = len(some)
        rows.append([model, mode, str(count), *(share(sum(bool(r[key]) for r in some), count) for key in ("valid", "tests", "exact")),
                     share(sum(r["ended"] == "bridge" for r in some), count)])  # fmt: skip
    return f"{title}\n\nOne line is missing in each program, with the newline at its end.\n\n{table(rows)}\n\n{_made(records)}"


_SECTIONS: tuple[Callable[[Runs, Path], str], ...] = (
    _melcer, _failures, _branches, _timing, _escape, _errors, _pass, _time, _incremental, _store, _exact, _scripts, _infilling,
)  # fmt: skip
