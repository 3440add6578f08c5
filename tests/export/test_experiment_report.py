"""Tables, CSV and reports of a comparison with an experiment."""

from __future__ import annotations

import base64
import csv
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from snakestudio.analysis.experiment.comparison import ExperimentComparison, compare_experiment
from snakestudio.errors import ExportError
from snakestudio.export.experiment_report import experiment_report
from snakestudio.export.experiment_tables import COLUMNS, error_table, pair_table
from snakestudio.export.formats import EXPORTS, write_as
from snakestudio.export.report_files import write_report, write_report_csv
from snakestudio.model.scene_file import load_scene
from tests.experiment_runs import make_run, seen


@pytest.fixture(scope="module")
def comparison() -> ExperimentComparison:
    trials = [
        seen(0.1, noise=0.001, seed=i, gaps=((30, 33),), turned=True, name=f"trial <{i}> & $co$")
        for i in range(2)
    ]
    result = compare_experiment(make_run(), trials)
    assert result is not None
    return result


def test_text_tables_have_the_values(comparison: ExperimentComparison) -> None:
    text = experiment_report(comparison).text
    assert re.search(
        r"^trial <0> & \$co\$ +link 6 +0\.10\d +0\.00\d +0\.999\d +-2[23]\.\d\d ", text, re.M
    )
    assert re.search(r"^position, RMSE +mm +1\.\d +1\.\d +1\.\d +1\.\d to 1\.\d$", text, re.M)
    assert re.search(r"^oscillation, frequency +Hz +0\.2[45]\d\d +0\.2[45]\d\d ", text, re.M)
    assert "replacement" in text
    errors = {row.cells[0].text: row for row in error_table("", comparison.trials[0].figures).rows}
    assert errors["position, largest"].cells[2].text == "-"
    assert errors["position, RMSE"].cells[1].value == pytest.approx(
        1000 * comparison.trials[0].figures["position_rmse"].value
    )
    pairs = {
        row.cells[0].text: row.unit for row in pair_table("", comparison.trials[0].figures).rows
    }
    assert pairs["net speed"] == "mm/s"
    assert "position, RMSE" not in pairs


def test_csv_has_the_values(comparison: ExperimentComparison, tmp_path: Path) -> None:
    assert write_report_csv(tmp_path / "c.csv", experiment_report(comparison, "a.toml"))
    text = (tmp_path / "c.csv").read_text(encoding="utf-8")
    assert "# trial 2: trial <1> & $co$.csv" in text
    rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == sum(len(trial.course.time) for trial in comparison.trials)
    course = comparison.trials[0].course
    first = [row for row in rows if row["trial"] == "1"]
    np.testing.assert_array_equal([float(row["run_x_m"]) for row in first], course.run[:, 0])
    np.testing.assert_array_equal([float(row["measured"]) for row in first], course.measured)
    assert load_scene(tmp_path / "c.csv") == comparison.recording.scene
    assert not write_report_csv(tmp_path / "d.csv", experiment_report(comparison), lambda _: False)


def test_report_as_one_page_is_complete(comparison: ExperimentComparison, tmp_path: Path) -> None:
    write_report(tmp_path / "r.html", experiment_report(comparison, "a.toml"))
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    pictures = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert len(pictures) == 4
    for picture in pictures:
        assert ElementTree.fromstring(base64.b64decode(picture)).tag.endswith("svg")
    assert not re.search(r'(src|href)="(?!data:)', page)  # nothing is loaded from elsewhere
    assert "trial &lt;0&gt; &amp; $co$" in page
    assert "trial <0>" not in page
    for phrase in ("by trial", "SHA-256", "a.toml", "Rigid motion"):
        assert phrase in page


def test_report_as_pages_is_complete(comparison: ExperimentComparison, tmp_path: Path) -> None:
    write_report(tmp_path / "r.pdf", experiment_report(comparison))
    data = (tmp_path / "r.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", data)) >= 5


def test_report_as_markdown_is_complete(comparison: ExperimentComparison, tmp_path: Path) -> None:
    write_report(tmp_path / "r.md", experiment_report(comparison, "a.toml"))
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    heads = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    assert "by trial" in heads[0]
    assert heads[-2:] == ["Provenance", "Scene"]
    assert r"trial \<0\> & $co$" in text
    (tmp_path / "again.toml").write_text(
        text.partition("~~~~toml\n")[2].partition("~~~~")[0], encoding="utf-8"
    )
    assert load_scene(tmp_path / "again.toml") == comparison.recording.scene


@pytest.mark.soak
@pytest.mark.parametrize("suffix", ["html", "pdf"])
def test_two_reports_are_equal(
    comparison: ExperimentComparison, tmp_path: Path, suffix: str
) -> None:
    for name in ("a", "b"):
        write_report(tmp_path / f"{name}.{suffix}", experiment_report(comparison))
    assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_failed_report_is_reported(comparison: ExperimentComparison, tmp_path: Path) -> None:
    report = experiment_report(comparison)
    with pytest.raises(ExportError, match=r"\.html, \.pdf or \.md"):
        write_report(tmp_path / "r.docx", report)
    for suffix in ("html", "pdf", "md", "csv"):
        path = tmp_path / f"r.{suffix}"
        assert write_as(EXPORTS["report"], report, path, progress=lambda _: False) is None
    assert list(tmp_path.iterdir()) == []
