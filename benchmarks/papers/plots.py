"""The report's drawings, as small SVG files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Bar = tuple[float, float, float]  # a share and its interval


def _axes(width: float = 6.4, height: float = 3.4) -> tuple[Any, Any]:
    import matplotlib  # pyright: ignore[reportMissingImports]

    matplotlib.use("svg")
    matplotlib.rcParams.update(
        {"svg.hashsalt": "suture", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
         "axes.spines.right": False}
    )  # fmt: skip
    from matplotlib import pyplot  # pyright: ignore[reportMissingImports]

    return pyplot.subplots(figsize=(width, height), layout="constrained")


def _save(figure: Any, path: Path) -> None:
    from matplotlib import pyplot  # pyright: ignore[reportMissingImports]

    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def bars(path: Path, groups: Mapping[str, Mapping[str, Bar]], label: str) -> None:
    """Shares with intervals: for each group a bar for each series, in percent."""
    figure, axes = _axes()
    series = list(dict.fromkeys(name for bars in groups.values() for name in bars))
    width = 0.8 / max(1, len(series))
    for number, name in enumerate(series):
        positions = [
            index + (number - (len(series) - 1) / 2) * width
            for index, bars in enumerate(groups.values())
            if name in bars
        ]
        values = [bars[name] for bars in groups.values() if name in bars]
        heights = [100 * share for share, _, _ in values]
        spread = [
            [100 * max(0.0, share - low) for share, low, _ in values],
            [100 * max(0.0, high - share) for share, _, high in values],
        ]
        axes.bar(positions, heights, width * 0.92, yerr=spread, capsize=2, label=name, error_kw={"linewidth": 0.8})
    axes.set_xticks(range(len(groups)), groups)
    axes.set_ylabel(label)
    axes.set_ylim(0, 105)
    figure.legend(loc="outside upper center", ncols=len(series), frameon=False)
    _save(figure, path)


def stacked(path: Path, groups: Mapping[str, Mapping[str, int]], label: str) -> None:
    """The composition of each group, in percent."""
    figure, axes = _axes(6.4, 0.9 + 0.42 * len(groups))
    kinds = list(dict.fromkeys(kind for parts in groups.values() for kind in parts))
    starts = [0.0] * len(groups)
    for kind in kinds:
        shares = [100 * parts.get(kind, 0) / max(1, sum(parts.values())) for parts in groups.values()]
        axes.barh(list(groups), shares, left=starts, height=0.7, label=kind)
        starts = [start + share for start, share in zip(starts, shares, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.set_xlim(0, 100)
    figure.legend(loc="outside upper center", ncols=len(kinds), frameon=False)
    _save(figure, path)


_DRAWN = 80  # points of a series, to keep the file small

Points = Sequence[tuple[float, float]]


def scatter(path: Path, series: Mapping[str, Points], fits: Mapping[str, tuple[float, float]], x: str, y: str) -> None:
    """Points on two logarithmic axes, with the lines (slope, intercept) fitted to them."""
    figure, axes = _axes(6.4, 4.2)
    for name, points in series.items():
        shown = points[:: max(1, len(points) // _DRAWN)]
        drawn = axes.scatter([a for a, _ in shown], [b for _, b in shown], s=4, alpha=0.5, linewidths=0, label=name)
        slope, intercept = fits[name]
        ends = sorted(a for a, _ in points)
        along = [ends[0] * (ends[-1] / ends[0]) ** (i / 40) for i in range(41)]
        line = [(a, slope * a + intercept) for a in along if slope * a + intercept > 0]
        axes.plot([a for a, _ in line], [b for _, b in line], linewidth=1, color=drawn.get_facecolor()[0], alpha=1)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    figure.legend(loc="outside upper center", ncols=len(series), frameon=False, markerscale=3)
    _save(figure, path)


def lines(path: Path, series: Mapping[str, Points], x: str, y: str) -> None:
    """One line for each series."""
    figure, axes = _axes()
    for name, points in series.items():
        axes.plot([a for a, _ in points], [b for _, b in points], marker="o", markersize=3, label=name)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_ylim(0)
    figure.legend(loc="outside upper center", ncols=len(series), frameon=False)
    _save(figure, path)
