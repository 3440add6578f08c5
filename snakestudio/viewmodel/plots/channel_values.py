"""Values of channels at one row of a recording."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from snakestudio.model.recording import Recording
from snakestudio.viewmodel.plots.catalogue import Quantity
from snakestudio.viewmodel.plots.channels import channel_of, is_signal

__all__ = ["row_values"]


def row_values(
    recording: Recording, quantities: Sequence[Quantity], row: int, known: Callable[[str, int], float | None]
) -> dict[str, float]:
    """The values of some channels at a row, by name; NaN of derived ones that nobody has worked out.

    Parameters
    ----------
    recording : Recording
    quantities : sequence of Quantity
    row : int
    known : callable
        The value of a derived channel, by its key, at a row, if it is known.
    """
    keys = dict.fromkeys(each.channel for each in quantities if not is_signal(each.channel))
    rows = recording.rows(max(0, row - 1), row + 1)
    before = rows.slice(0, 1) if row else None
    here = rows.slice(len(rows) - 1, len(rows))
    tables = {key: channel_of(key, recording.schema).compute(here, before) for key in keys}
    values: dict[str, float] = {}
    for each in quantities:
        if is_signal(each.channel):
            found = known(each.channel, row)
            values[each.name] = float("nan") if found is None else found
        else:
            values[each.name] = float(tables[each.channel][0, each.column])
    return values
