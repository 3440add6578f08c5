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
from snakestudio.export.experiment_report import write_report
from snakestudio.export.experiment_tables import COLUMNS, figure_rows, report, write_experiment
from snakestudio.model.scene_file import load_scene
from tests.experiment_runs import make_run, seen


@pytest.fixture(scope="module")
def comparison() -> ExperimentComparison:
    trials = [
        seen(0.1, noise=0.001, seed=i, gaps=((30, 33),), turned=True, name=f"trial <{i}> & $co$") for i in range(2)
    ]
    found = compare_experiment(make_run(), trials)
    assert found is not None
    return found


def test_the_tables_of_text(comparison: ExperimentComparison) -> None:
    text = report(comparison)
    assert re.search(r"^trial <0> & \$co\$ +link 6 +0\.10\d +0\.00\d +0\.999\d +-2[23]\.\d\d ", text, re.M)
    assert re.search(r"^position, RMSE +mm +1\.\d +1\.\d +1\.\d +1\.\d to 1\.\d$", text, re.M)
    assert re.search(r"^oscillation, frequency +Hz +0\.2[45]\d\d +0\.2[45]\d\d ", text, re.M)
    assert "trials drawn with replacement" in text
    rows = {row[0]: row for row in figure_rows(comparison.trials[0].figures)}
    assert rows["position, largest"][5] == "-"
    assert rows["net speed"][1] == "mm/s"


def test_the_csv(comparison: ExperimentComparison, tmp_path: Path) -> None:
    assert write_experiment(tmp_path / "c.csv", comparison, "a.toml")
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
    assert not write_experiment(tmp_path / "d.csv", comparison, progress=lambda _: False)
    assert not (tmp_path / "d.csv").exists()


def test_the_report_as_one_page(comparison: ExperimentComparison, tmp_path: Path) -> None:
    write_report(tmp_path / "r.html", comparison, "a.toml")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    pictures = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert len(pictures) == 4
    for picture in pictures:
        assert ElementTree.fromstring(base64.b64decode(picture)).tag.endswith("svg")
    assert not re.search(r'(src|href)="(?!data:)', page)  # nothing is fetched from elsewhere
    assert "trial &lt;0&gt; &amp; $co$" in page
    assert "trial <0>" not in page
    for said in ("Experiment less run, by trial", "SHA-256", "a.toml", "Rigid motion in the plane"):
        assert said in page


def test_the_report_as_pages(comparison: ExperimentComparison, tmp_path: Path) -> None:
    write_report(tmp_path / "r.pdf", comparison)
    data = (tmp_path / "r.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", data)) >= 5


@pytest.mark.soak
@pytest.mark.parametrize("suffix", ["html", "pdf"])
def test_two_reports_are_equal(comparison: ExperimentComparison, tmp_path: Path, suffix: str) -> None:
    for name in ("a", "b"):
        write_report(tmp_path / f"{name}.{suffix}", comparison)
    assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_what_cannot_be_written_is_said(comparison: ExperimentComparison, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"reports are written as \.html or \.pdf"):
        write_report(tmp_path / "r.docx", comparison)
    write_report(tmp_path / "r.html", comparison, progress=lambda _: False)
    assert list(tmp_path.iterdir()) == []
