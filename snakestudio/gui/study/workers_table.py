"""Table of the workers of a study and their load."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from snakestudio.export.tables import Cell, Column, Row, Table, text_cells
from snakestudio.gui.forms.table import TableView
from snakestudio.study.cluster import WorkerInfo

_COLUMNS = (Column("Worker", is_text=True), Column("Tasks"), Column("CPU"), Column("Memory"))
_SHOWN = 5
"""Visible rows; further ones are scrolled."""


class WorkersTable(TableView):
    """Name, running tasks, load and memory of each worker."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Workers", parent=parent)

    def show_workers(self, workers: tuple[WorkerInfo, ...]) -> None:
        """Show workers sorted by name; an empty table for none."""
        ordered = sorted(workers, key=lambda worker: worker.name)
        self.show_table(Table("Workers", _COLUMNS, tuple(map(_row, ordered))))
        self.setVisible(bool(workers))
        rows = min(len(workers), _SHOWN) * self.verticalHeader().defaultSectionSize()
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + rows + 4)


def _row(worker: WorkerInfo) -> Row:
    megabytes = worker.memory / 2**20
    return Row(
        (
            *text_cells(worker.name),
            Cell(str(worker.busy), (worker.busy,)),
            Cell(f"{worker.cpu:.0f} %", (worker.cpu,)),
            Cell(f"{megabytes:.0f} MB", (megabytes,)),
        ),
        tip=f"{worker.name} on {worker.host} ({worker.address})",
    )
