"""What results of analyses have in common: they are printed as text and written as reports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from snakestudio.export.report import Report
from snakestudio.export.report_files import report_path, write_report, write_report_csv


class Reporting(ABC):
    """A result that `print` shows as tables of text."""

    @abstractmethod
    def report(self) -> Report:
        """The result as a report."""

    def __str__(self) -> str:
        return self.report().text

    def to_csv(self, path: str | Path) -> None:
        """Write the numbers: time series where there are any, the table of values otherwise.

        Raises `ExportError` if the file cannot be written.
        """
        write_report_csv(path, self.report())

    def to_report(self, path: str | Path) -> Path:
        """Write tables, pictures and provenance as HTML, PDF or Markdown, by the file's suffix.

        Raises `ExportError` if the file cannot be written.
        """
        written = report_path(path)
        write_report(written, self.report())
        return written
