"""Writer of reports as CSV, Markdown, HTML and PDF, by file extension."""

from __future__ import annotations

import re
from pathlib import Path

from snakestudio.errors import ExportError
from snakestudio.export.csv import write_blocks, write_lines
from snakestudio.export.provenance import change_lines, origin_lines, scene_lines
from snakestudio.export.report import Progress, Report
from snakestudio.export.tables import markdown_text, table_csv, table_markdown
from snakestudio.inputs import local_path
from snakestudio.model.scene_file import dump_scene

PAGES = (".html", ".pdf", ".md")
"""Extensions of reports to read; a `.csv` contains only the numbers."""


def report_path(path: str | Path) -> Path:
    """Return the path of a report to read, if its extension is valid.

    Raises `ExportError` if it is not.
    """
    path = local_path(path)
    if path.suffix.lower() not in PAGES:
        endings = f"{', '.join(PAGES[:-1])} or {PAGES[-1]}"
        raise ExportError(f"{path}: Reports are written as {endings}. Use one of these extensions.")
    return path


def write_report(path: str | Path, report: Report, progress: Progress | None = None) -> bool:
    """Write a report as HTML, PDF, Markdown or CSV, by file extension; False if `progress` cancelled it.

    The same report gives the same file, byte for byte.

    Raises `ExportError` if reports have no such format. Raises `OSError` if the file cannot be written;
    an incomplete file remains. See `write_as`.
    """
    path = local_path(path)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return write_report_csv(path, report, progress)
    report_path(path)
    if suffix == ".md":
        path.write_text(report_markdown(report), encoding="utf-8", newline="\n")
        return progress is None or progress(1.0)
    from snakestudio.export.report_pages import write_pages

    return write_pages(path, suffix, report, progress)


def write_report_csv(path: str | Path, report: Report, progress: Progress | None = None) -> bool:
    """Write the numbers of a report as CSV, with a header that reproduces it and repeats its text.

    The numbers are its series or, if it has none, its first table with all digits. False if
    `progress` cancelled it.

    Raises `ExportError` if it has no numbers. Raises `OSError` if the file cannot be written.
    """
    header = origin_lines(report.scene, report.scene_file)
    header += [f"# {line}".rstrip() for line in (*report.header, *report.text.splitlines())]
    header += [*change_lines(report.changes), *scene_lines(report.scene)]
    if report.series is not None:
        series = report.series()
        return write_blocks(path, header, series.names, series.blocks(), series.n_rows, progress)
    if not report.tables:
        raise ExportError(f"The report has no numbers. Write it as {PAGES[0]} or {PAGES[2]}.")
    names, lines = table_csv(report.tables[0])
    write_lines(path, header, names, lines)
    return progress is None or progress(1.0)


def report_markdown(report: Report) -> str:
    """Return a report in Markdown, its scene in a block of TOML at the end."""
    parts = [f"# {markdown_text(report.title)}"]
    parts += [markdown_text(text) for text in (report.lead, report.conclusion) if text]
    for table in (*report.tables, *report.details, *report.glossary):
        parts += [f"## {markdown_text(table.heading)}", table_markdown(table)]
        parts += [markdown_text(table.note)] if table.note else []
    if report.notes:
        parts += ["## Notes", "\n".join(f"- {markdown_text(note)}" for note in report.notes)]
    parts += [
        "## Provenance",
        "\n".join(f"- {name}: {markdown_text(value)}" for name, value in report.provenance),
    ]
    scene = dump_scene(report.scene).rstrip()
    # longer than any fence in the text of the scene
    fence = "~" * (1 + max(3, *map(len, re.findall("~+", scene)), 0))
    parts += ["## Scene", f"{fence}toml\n{scene}\n{fence}"]
    return "\n\n".join(parts) + "\n"
