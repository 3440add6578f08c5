"""Report of a comparison of link chains with a continuous body: errors by number of links, all joints as CSV."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.comparison.chain_data import ChainComparison
from snakestudio.export.report import Report, Series, scene_title
from snakestudio.export.tables import (
    MISSING,
    Cell,
    Column,
    Row,
    Table,
    number,
    number_cell,
    text_cells,
)


def chain_report(comparison: ChainComparison, scene_file: str | None = None) -> Report:
    """Return the report of a comparison with chains.

    Each row of its CSV is a joint: number of links, time, abscissa, and for each load the values of the chain's
    joint and of the body there.
    """
    lead = "Chains that follow the motion of the continuous body, and the required loads."
    tables = [chain_table(comparison, index) for index in range(len(comparison.times))]
    if comparison.free:
        lead = "Chains that are moved by friction, compared with the continuous body."
        tables.append(_path_table(comparison))
    links = ",".join(map(str, comparison.links))
    at = " ".join(f"--at {time:g}" for time in comparison.times)
    return Report(
        subject="chain",
        title=f"{scene_title(comparison.scene)}: chains of links",
        lead=lead,
        tables=tuple(tables),
        scene=comparison.scene,
        scene_file=scene_file,
        header=(
            f"To repeat the comparison: snakestudio compare chain THIS_FILE.csv --links {links} {at} --csv AGAIN.csv",
        ),
        series=lambda: _series(comparison),
    )


def chain_table(comparison: ChainComparison, index: int) -> Table:
    """Return the table for one time: for each number of links, the largest loads, their errors, and the speed."""
    parts = comparison.parts
    columns = [Column("links", is_text=True)]
    for part in parts:
        columns.append(
            Column(
                f"{part.label},\nup to", part.unit, name=part.name, tip="Largest over the joints"
            )
        )
        columns.append(
            Column(
                f"differs from\n{part.symbol}(jh) by",
                "%",
                name=f"{part.name}_error",
                tip="Largest difference over the joints, relative to the largest value in the body",
            )
        )
    columns.append(Column("speed", "m/s", tip="Speed of the centre of mass"))
    columns.append(
        Column(
            "speed\ndiffers by",
            "%",
            name="speed_error",
            tip="Difference from the speed of the body",
        )
    )
    rows = []
    for n, profiles, errors, speed_errors in zip(
        comparison.links,
        comparison.profiles,
        comparison.errors,
        comparison.speed_errors,
        strict=True,
    ):
        profile = profiles[index]
        cells = [Cell(f"{n}", (float(n),))]
        for column in range(len(parts)):
            cells += [_largest(profile.chain[:, column]), _percent(errors[index, column])]
        cells += [number_cell(profile.chain_speed), _percent(speed_errors[index])]
        rows.append(Row(tuple(cells)))
    profile = comparison.profiles[-1][index]
    body = [Cell("body")]
    order = [Cell("order")]
    for column in range(len(parts)):
        body += [_largest(profile.body[:, column]), Cell("")]
        order += [Cell(""), _order(comparison, comparison.errors[:, index, column])]
    body += [number_cell(profile.body_speed), Cell("")]
    order += [Cell(""), _order(comparison, comparison.speed_errors[:, index])]
    rows.append(
        Row(
            tuple(body),
            is_summary=True,
            tip="The continuous body at the joints of the longest chain",
        )
    )
    rows.append(
        Row(
            tuple(order),
            is_summary=True,
            tip="Order of convergence in the number of links",
        )
    )
    return Table(f"at {comparison.times[index]:g} s", tuple(columns), tuple(rows))


def _path_table(comparison: ChainComparison) -> Table:
    rows = [
        Row((Cell(f"{n}", (float(n),)), number_cell(error)))
        for n, error in zip(comparison.links, comparison.path_errors.tolist(), strict=True)
    ]
    rows.append(
        Row((*text_cells("order"), _order(comparison, comparison.path_errors)), is_summary=True)
    )
    columns = (Column("links", is_text=True), Column("path apart", "m"))
    return Table("Largest distance between the centres of mass in the run", columns, tuple(rows))


def _largest(values: FloatArray) -> Cell:
    return number_cell(float(np.abs(values).max()))


def _percent(fraction: float) -> Cell:
    value = 100.0 * float(fraction)
    return Cell(number(value, 3) if math.isfinite(value) else MISSING, (value,))


def _order(comparison: ChainComparison, errors: FloatArray) -> Cell:
    order = comparison.order(errors)
    return Cell(MISSING if math.isnan(order) else f"{order:.2f}")


_SUFFIX = {"N": "n", "N m": "nm"}


def _series(comparison: ChainComparison) -> Series:
    names = ["links", "time_s", "joint", "abscissa_m"]
    for part in comparison.parts:
        names += [
            f"chain_{part.name}_{_SUFFIX[part.unit]}",
            f"body_{part.name}_{_SUFFIX[part.unit]}",
        ]
    profiles = [profile for of_links in comparison.profiles for profile in of_links]

    def blocks() -> Iterable[FloatArray]:
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
            yield np.stack(columns, axis=1).astype(np.float64)

    return Series(tuple(names), blocks, sum(len(profile.joint) for profile in profiles))
