"""Files of a report without time series: its table as CSV with provenance, and failed writes."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import pytest

from snakestudio.analysis.comparison.step_size import QuantityCheck, StepCheck, StepRun
from snakestudio.errors import ExportError
from snakestudio.export.report import Report
from snakestudio.export.report_files import write_report
from snakestudio.export.step_size_tables import step_report
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene


@pytest.fixture
def report() -> Report:
    scene = Scene()
    runs = tuple(
        StepRun(with_values(scene, {"solver.step_s": step}), None) for step in (0.002, 0.001)
    )
    quantity = QuantityCheck(
        "speed_mps", "Mean speed", "m/s", (0.123456789, math.nan), 0.001, 0.1, "value", "spread"
    )
    return step_report(
        StepCheck(scene, (), runs, (quantity,), True, (0.0,), ("a note",), {}, "It settles."),
        "a.toml",
    )


def test_csv_of_a_table_has_exact_values_and_rebuilds_the_scene(
    report: Report, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    assert write_report(path, report)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert "# scene: a.toml" in lines
    assert "# It settles." in lines
    (row,) = csv.DictReader(line for line in lines if not line.startswith("#"))
    assert list(row) == [
        "quantity",
        "unit",
        "2_ms",
        "1_ms",
        "error_value",
        "error_percent",
        "estimated_from",
    ]
    assert (row["2_ms"], row["1_ms"], row["unit"]) == ("0.123456789", "", "m/s")
    assert load_scene(path) == report.scene


@pytest.mark.parametrize("suffix", [".html", ".pdf", ".md"])
def test_pages_without_pictures_are_written(report: Report, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    assert write_report(path, report)
    first = path.read_bytes()
    write_report(path, report)
    assert path.read_bytes() == first
    if suffix != ".pdf":
        assert "It settles." in first.decode()


def test_report_without_numbers_has_no_csv(report: Report, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"\.html or \.md"):
        write_report(tmp_path / "a.csv", replace(report, tables=()))


def test_markdown_fences_are_longer_than_those_in_the_scene(report: Report, tmp_path: Path) -> None:
    fenced = replace(report, scene=with_values(report.scene, {"title": "~~~~~"}))
    write_report(tmp_path / "a.md", fenced)
    assert (tmp_path / "a.md").read_text(encoding="utf-8").endswith("\n~~~~~~\n")
