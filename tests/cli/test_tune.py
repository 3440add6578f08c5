"""`snakestudio tune`, and that there is such a thing is said once, on a terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from snakestudio import processor
from snakestudio.cli import main
from snakestudio.cli.shared import ProgressLine, tell_of_tuning
from snakestudio.session import tuning
from snakestudio.session.tuning import CASES, Stage, Timing


@pytest.fixture(autouse=True)
def _fast_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNAKESTUDIO_KERNELS_DIR", str(tmp_path / "kernels"))
    monkeypatch.setenv("SNAKESTUDIO_PROCESSOR", "baseline")  # as this process found it
    monkeypatch.setattr(processor, "_given", "")
    monkeypatch.setattr(processor, "_processor", lambda: ("Fast One", frozenset({"avx512f"})))
    monkeypatch.setattr(processor, "has_baseline", lambda: True)


def test_it_says_how_things_stand(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("SnakeStudio computes for x86-64-v3")
    assert "Fast One" in said[1]
    assert said[2:] == [
        "See what it would gain: snakestudio tune --measure",
        "Compute for this very processor: snakestudio tune --on",
    ]


def test_it_switches_on_and_off(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "--on"]) == 0
    assert processor.chosen()
    said = capsys.readouterr().out
    assert "From the next start on" in said
    assert "header" in said
    assert main(["tune"]) == 0
    assert "snakestudio tune --off" in capsys.readouterr().out
    assert main(["tune", "--off"]) == 0
    assert not processor.chosen()


def test_it_measures_and_recommends(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def measured(tell: Callable[[Stage], bool]) -> tuple[Timing, ...]:
        assert tell(Stage(0.5, 3.0, "Timing the planar engine", ()))
        return tuple(Timing(case, ((1.2e-6, 1.0e-6),) * 5) for case in CASES)

    monkeypatch.setattr(tuning, "measure", measured)
    assert main(["tune", "--measure"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    lines = said.out.splitlines()
    assert lines[1].split() == ["Engine", "Scene", "x86-64-v3", "Tuned", "Gain"]
    assert lines[2].split() == ["planar", "obstacle_aided", "1.20", "µs", "1.00", "µs", "+20.0", "%"]
    assert len({line.rindex("µs") for line in lines[2:8]}) == 1
    assert "Worth it" in said.out
    assert said.out.endswith("snakestudio tune --on\n")


@pytest.mark.parametrize("option", ["--measure", "--on", "--off"])
def test_a_processor_without_the_baseline(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    monkeypatch.setattr(processor, "has_baseline", lambda: False)
    assert main(["tune", option]) == 2
    assert "nothing to choose" in capsys.readouterr().err
    assert main(["tune"]) == 0


def test_a_folder_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kernels").write_text("a file stands in the way")
    assert main(["tune", "--on"]) == 2
    assert "cannot be kept" in capsys.readouterr().err


def test_it_is_said_once_and_on_a_terminal_only(capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine()
    tell_of_tuning(line)
    assert capsys.readouterr().err == "", "a script is told nothing"
    line.shown = True
    tell_of_tuning(line)
    told = capsys.readouterr()
    assert told.err == f"{tuning.OFFER} See what they gain: snakestudio tune --measure\n"
    assert told.out == ""
    tell_of_tuning(line)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("reason", ["tuned", "narrow", "used before", "cannot be kept"])
def test_it_is_not_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, reason: str
) -> None:
    if reason == "tuned":
        monkeypatch.setenv("SNAKESTUDIO_PROCESSOR", "native")
    elif reason == "narrow":
        monkeypatch.setattr(processor, "_processor", lambda: ("Slow One", frozenset({"avx2"})))
    elif reason == "used before":
        assert main(["tune"]) == 0
    else:
        (tmp_path / "kernels").write_text("a file stands in the way")
    capsys.readouterr()
    line = ProgressLine()
    line.shown = True
    tell_of_tuning(line)
    assert capsys.readouterr().err == ""
