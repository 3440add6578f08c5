"""Figures of the papers: the list is complete, they show the stated results, and their files have metadata."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import numpy as np
import pytest

from snakestudio.cli import main
from snakestudio.errors import ExportError, UsageError
from snakestudio.export.figures.figure import MeasuredTrack, Need, columns, printed
from snakestudio.export.figures.make import (
    PAPERS,
    FigureOutput,
    draw_figure,
    figures_of,
    figures_of_paper,
    laid_over,
    needed,
    prepared,
    write_run_figures,
)
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Recording
from snakestudio.session.offline import run_offline
from tests import experiment_runs

# Simulation results shown in the papers; Fig. 14 of P5 is a drawing of mechanisms.
NUMBERS = {
    "P1": "6 7 8 9 10 11",
    "P2": "9 10 11 12 13 14",
    "P3": "5 6 7 8 9",
    "P4": "joints speed momentum turning path errors",
    "P5": "7 8 9 10 11 12 13 15 16 17 18 19",
}


def run(scene: str, duration: float) -> Recording:
    result, path = prepared(Need(scene))
    return run_offline(with_values(result, {"run.duration_s": duration}), path.parent).recording


@pytest.fixture(scope="module")
def flat() -> Recording:
    return run("lateral_undulation_isotropic", 1.0)


@pytest.fixture(scope="module")
def jammed() -> Recording:
    return run("jam_resolution", 3.2)


def text_of(pdf: Path) -> str:
    """All text of a PDF, including compressed parts."""
    raw = pdf.read_bytes()
    parts = [raw]
    for match in re.finditer(rb"stream\r?\n(.*?)endstream", raw, re.DOTALL):
        try:
            parts.append(zlib.decompress(match.group(1)))
        except zlib.error:
            continue
    return "\n".join(part.decode("latin-1") for part in parts)


@pytest.mark.parametrize("paper", NUMBERS)
def test_every_figure_that_shows_a_result_is_there(paper: str) -> None:
    figures = figures_of_paper(paper)
    assert [figure.number for figure in figures] == NUMBERS[paper].split()
    for need in needed(figures):
        assert prepared(need)[1].is_file()


def test_drawn_values_are_those_of_the_run(flat: Recording) -> None:
    (figure,) = figures_of_paper("P2", ["13"])
    track = MeasuredTrack(
        "experiment", np.array([0.0, 0.5]), np.array([[0.1, 0.2, 0.0], [0.3, 0.4, 0.0]])
    )
    with printed(figure.width_mm, figure.height_mm) as page:
        figure.draw(page, [flat], [track])
        above, below = page.axes
    time, x, y = columns(flat, "time_s", "link_6_x_m", "link_6_y_m")
    for axes, values, axis in ((above, x, 0), (below, y, 1)):
        simulated, measured = axes.lines
        np.testing.assert_array_equal(simulated.get_xydata(), np.column_stack([time, values]))
        np.testing.assert_array_equal(
            measured.get_xydata(), np.column_stack([track.time, track.position[:, axis]])
        )


def test_trial_name_can_contain_dollars(tmp_path: Path) -> None:
    result = experiment_runs.make_run()
    tracks = laid_over(result, [experiment_runs.seen(name="fee_5$_or_6$")], 5)
    figure = next(figure for figure in figures_of(result) if figure.takes_measured)
    path = draw_figure(tmp_path / "track.svg", figure, [(result, None)], "Track", tracks)
    assert ">fee_5$_or_6$<" in path.read_text(encoding="utf-8")


def test_triangles_mark_start_and_end_of_jams(jammed: Recording) -> None:
    (figure,) = figures_of_paper("P3", ["8"])
    with printed(figure.width_mm, figure.height_mm) as page:
        figure.draw(page, [jammed], [])
        marks = [(line.get_marker(), float(line.get_xdata()[0])) for line in page.axes[0].lines[1:]]  # type: ignore[index]
    time, count, state = columns(jammed, "time_s", "jam_count", "controller_state")
    begins = float(time[np.flatnonzero(np.diff(count) > 0)[0] + 1])
    ends = float(time[np.flatnonzero(np.diff(state) < 0)[0] + 1])
    assert marks[:2] == [("v", pytest.approx(begins)), ("^", pytest.approx(ends))]
    # Reference values: the resolution takes half a second, and the first jam is at about 2.38 s.
    assert ends - begins == pytest.approx(0.5, abs=0.02)


def test_file_has_vectors_and_the_data_to_rebuild_its_run(tmp_path: Path, flat: Recording) -> None:
    (figure,) = figures_of_paper("P2", ["13"])
    runs = [(flat, "lateral_undulation_isotropic.toml")]
    path = draw_figure(tmp_path / "a" / "figure.pdf", figure, runs, "Figure 13 of P2")
    text = text_of(path)
    assert "/Subtype /Image" not in text
    assert "Figure 13 of P2" in text
    assert "lateral_undulation_isotropic.toml" in text
    assert "scene_sha256" in text
    assert "amplitude_deg = 40.0" in text
    again = draw_figure(tmp_path / "again.pdf", figure, runs, "Figure 13 of P2")
    assert again.read_bytes() == path.read_bytes()


def test_any_run_can_be_drawn(tmp_path: Path, flat: Recording, jammed: Recording) -> None:
    fractions: list[float] = []

    def progress(fraction: float) -> bool:
        fractions.append(fraction)
        return True

    expected = FigureOutput(tmp_path, ".svg")
    written = write_run_figures(
        expected, flat, "lateral_undulation_isotropic.toml", progress=progress
    )
    names = {path.stem.removeprefix("lateral_undulation_isotropic_") for path in written}
    assert names == {figure.number for figure in figures_of(flat)} | {"P2_fig_13"}
    assert all(path.stat().st_size > 5000 for path in written)
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    # A run of a user's own scene has the general figures.
    written = write_run_figures(
        expected, jammed, "mine.toml", progress=lambda fraction: fraction < 0.5
    )
    assert 0 < len(written) < len(figures_of(jammed))


def test_errors_are_reported(
    tmp_path: Path, flat: Recording, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match="P1, P2, P3, P4, P5"):
        figures_of_paper("P9")
    with pytest.raises(UsageError, match=r"Choose from 9, 10"):
        figures_of_paper("P2", ["3"])
    with pytest.raises(UsageError, match=r"\.pdf, \.svg, \.png"):
        FigureOutput(tmp_path, ".tiff")
    (figure,) = figures_of_paper("P2", ["13"])
    with pytest.raises(ExportError, match="extensions"):
        draw_figure(tmp_path / "figure.doc", figure, [(flat, None)], "")
    assert main(["figures", "P7"]) == 2
    assert "P1, P2, P3, P4, P5" in capsys.readouterr().err


def test_one_command_creates_all_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["figures", "p5", "--only", "15,18", "--out", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"P5_fig_15.pdf", "P5_fig_18.pdf"}
    assert "wrote" in capsys.readouterr().out


def lines_of(name: str, runs: list[Recording]) -> list[list[np.ndarray]]:
    """Content of a figure of P4, axes by axes."""
    (figure,) = figures_of_paper("P4", [name])
    with printed(figure.width_mm, figure.height_mm) as page:
        figure.draw(page, runs, [])
        return [[np.asarray(line.get_xydata()) for line in axes.lines] for axes in page.axes]


def run_of(need: Need, duration: float) -> Recording:
    result, path = prepared(need)
    return run_offline(with_values(result, {"run.duration_s": duration}), path.parent).recording


def test_figures_of_p4_show_its_results() -> None:
    # P4 (25), the solution of a linear equation; (31), (32) without friction; and the reference
    # values.
    speed = figures_of_paper("P4", ["speed"])[0]
    runs = [run_of(need, 6.0) for need in speed.needs]
    _, below = lines_of("joints", runs[:1])
    for result, fractions in zip(below[::2], below[1::2], strict=True):
        early = result[:, 0] < 0.5
        np.testing.assert_allclose(result[early, 1], fractions[early, 1], rtol=1e-5, atol=1e-9)
    ((ahead, equal, free),) = lines_of("speed", runs)
    late = ahead[:, 0] > 0.8
    assert np.mean(ahead[late, 1]) == pytest.approx(5.74, abs=0.3)
    assert np.abs(equal[:, 1]).max() < 1e-9
    assert np.abs(free[:, 1]).max() < 1e-9
    ((parts, full),) = lines_of("momentum", runs[2:])
    assert parts[1:, 1].min() > 1e-2
    assert full[:, 1].max() < 1e-12


@pytest.mark.soak
@pytest.mark.parametrize("paper", PAPERS)
def test_all_figures_of_a_paper_are_created(tmp_path: Path, paper: str) -> None:
    assert main(["figures", paper, "--out", str(tmp_path)]) == 0
    assert len(list(tmp_path.glob("*.pdf"))) == len(NUMBERS[paper].split())
