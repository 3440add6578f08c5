"""Chains of links beside a continuous body as CSV: every joint of every chain at every instant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from snakestudio.analysis.comparison.chain_data import ChainComparison
from snakestudio.export.chain_text import report
from snakestudio.export.csv import write_blocks
from snakestudio.export.provenance import origin_lines, scene_lines

__all__ = ["write_chain"]

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
