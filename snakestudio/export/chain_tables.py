"""Chains of links beside a continuous body as tables: of text, printed and copied, and as CSV with every joint."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from snakestudio.analysis.comparison.chain_data import ChainComparison
from snakestudio.export.comparison_tables import aligned, number
from snakestudio.export.csv import write_blocks
from snakestudio.export.provenance import origin_lines, scene_lines

__all__ = ["report", "write_chain"]


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


_SUFFIX = {"N": "n", "N m": "nm"}


def write_chain(
    path: str | Path,
    comparison: ChainComparison,
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
) -> bool:
    """Write a comparison with chains under a header that rebuilds it and says what the table says.

    A row is a joint: number of links, instant, abscissa, and for every part the chain's joint and the body there.

    Returns
    -------
    bool
        False if `progress` cancelled it, which leaves no file.

    Raises
    ------
    ExportError
        If the file cannot be written.
    """
    names = ["links", "time_s", "joint", "abscissa_m"]
    for part in comparison.parts:
        names += [f"chain_{part.name}_{_SUFFIX[part.unit]}", f"body_{part.name}_{_SUFFIX[part.unit]}"]
    blocks = []
    for profiles in comparison.profiles:
        for profile in profiles:
            count = len(profile.joint)
            columns = [
                np.full(count, profile.links),
                np.full(count, profile.time),
                np.arange(1, count + 1),
                profile.joint,
            ]
            for index in range(len(comparison.parts)):
                columns += [profile.chain[:, index], profile.body[:, index]]
            blocks.append(np.stack(columns, axis=1).astype(np.float64))
    links = ",".join(map(str, comparison.links))
    at = " ".join(f"--at {time:g}" for time in comparison.times)
    header = origin_lines(comparison.scene, scene_file)
    header.append(f"# To compare again: snakestudio compare chain THIS_FILE.csv --links {links} {at} --csv AGAIN.csv")
    header += [f"# {line}".rstrip() for line in report(comparison).splitlines()]
    header += scene_lines(comparison.scene)
    return write_blocks(path, header, names, blocks, sum(map(len, blocks)), progress)
