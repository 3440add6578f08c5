"""Base class of results of analyses, which can be printed as text and written as reports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from snakestudio.export.formats import EXPORTS, ReportOptions, write_as
from snakestudio.export.report import Report
from snakestudio.export.report_files import report_path
from snakestudio.model.arguments import path_of


class Reporting(ABC):
    """Result that `print` shows as tables of text."""

    @abstractmethod
    def report(self) -> Report:
        """Return the result as a report."""

    def __str__(self) -> str:
        return self.report().text

    def to_csv(self, path: str | Path) -> None:
        """Write the time series as CSV, or the table of values if there are none.

        Raises `ExportError` if the file cannot be written.
        """
        write_as(EXPORTS["report"], self.report(), path_of("path", path), ReportOptions(".csv"))

    def to_report(self, path: str | Path) -> Path:
        """Write tables, figures and provenance as HTML, PDF or Markdown, by the suffix of the file.

        Raises `ExportError` if the file cannot be written.
        """
        written = report_path(path)
        write_as(EXPORTS["report"], self.report(), written)
        return written
