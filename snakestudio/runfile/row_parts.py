"""Rows collected in parts until they fill a block: large parts are kept, single rows are gathered."""

from __future__ import annotations

from bisect import bisect_right

from snakestudio.model.recording import Rows
from snakestudio.runfile.row_buffer import RowBuffer

_LARGE = 16
"""Smallest number of rows in a part that is kept without copying: copying would take longer than
handling another part."""

_FIRST_ROOM = 16


class RowParts:
    """Rows in order of arrival; stored rows do not move, so that views stay valid."""

    def __init__(self) -> None:
        self._parts: list[Rows | RowBuffer] = []
        self._firsts: list[int] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, rows: Rows) -> None:
        """Add rows at the end; large parts are not copied."""
        last = self._parts[-1] if self._parts else None
        if len(rows) < _LARGE and isinstance(last, RowBuffer):
            last.append(rows)
        else:
            self._firsts.append(self._count)
            if len(rows) < _LARGE:
                gathering = RowBuffer(_FIRST_ROOM)
                gathering.append(rows)
                self._parts.append(gathering)
            else:
                self._parts.append(rows)
        self._count += len(rows)

    def rows(self) -> Rows:
        """Return all rows, joined; at least one."""
        return Rows.concatenate(
            [part if isinstance(part, Rows) else part.rows() for part in self._parts]
        )

    def part_with(self, row: int) -> tuple[int, Rows]:
        """Return the part that contains a row, and the number of its first row."""
        number = bisect_right(self._firsts, row) - 1
        part = self._parts[number]
        return self._firsts[number], part if isinstance(part, Rows) else part.rows()
