"""Chains of links beside a continuous body as a table of text: what the command line prints and the window copies."""

from __future__ import annotations

import math

from snakestudio.analysis.comparison.chain_data import ChainComparison
from snakestudio.export.comparison_text import aligned, number

__all__ = ["report"]


def report(comparison: ChainComparison) -> str:
    """The whole comparison as lines of text."""
    if comparison.free:
        head = "Chains that friction moves beside the continuous body."
    else:
        head = "Chains that move as the continuous body does, and the loads that this costs them."
    texts = [head]
    for index, time in enumerate(comparison.times):
        texts.append(f"at {time:g} s\n{aligned(_rows(comparison, index))}")
    if comparison.free:
        rows: list[tuple[str, ...]] = [("links", "path apart", "")]
        rows += [
            (f"{n}", number(error), "m") for n, error in zip(comparison.links, comparison.path_errors, strict=True)
        ]
        rows.append(("order", _order(comparison.order(comparison.path_errors)), ""))
        texts.append(f"centres of mass, the largest distance in the run\n{aligned(rows)}")
    return "\n\n".join(texts)


def _rows(comparison: ChainComparison, index: int) -> list[tuple[str, ...]]:
    """Of one instant: by number of links, the largest difference of every part, what it is by, and the speed."""
    parts = comparison.parts
    head = ["links"]
    for part in parts:
        head += [f"{part.label}, up to", f"differs from {part.symbol}(jh) by"]
    rows = [(*head, "speed", "differs by")]
    for row, n in enumerate(comparison.links):
        profile = comparison.profiles[row][index]
        cells = [f"{n}"]
        for column, part in enumerate(parts):
            largest = float(abs(profile.chain[:, column]).max())
            cells += [f"{number(largest)} {part.unit}", _percent(comparison.errors[row, index, column])]
        cells += [f"{number(profile.chain_speed)} m/s", _percent(comparison.speed_errors[row, index])]
        rows.append(tuple(cells))
    profile = comparison.profiles[-1][index]
    cells = ["body"]
    for column, part in enumerate(parts):
        cells += [f"{number(float(abs(profile.body[:, column]).max()))} {part.unit}", ""]
    rows.append((*cells, f"{number(profile.body_speed)} m/s", ""))
    cells = ["order"]
    for column in range(len(parts)):
        cells += ["", _order(comparison.order(comparison.errors[:, index, column]))]
    rows.append((*cells, "", _order(comparison.order(comparison.speed_errors[:, index]))))
    return rows


def _percent(share: float) -> str:
    return f"{number(100.0 * share, 3)} %"


def _order(order: float) -> str:
    return "-" if math.isnan(order) else f"{order:.2f}"
