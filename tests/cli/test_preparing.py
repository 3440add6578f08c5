"""Output of the command line while an engine is prepared: an updated line on a terminal, otherwise one plain line."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from snakestudio.cli import shared
from snakestudio.cli.shared import ProgressLine, warm_up
from snakestudio.errors import PreparationError
from snakestudio.session import engine_compiler


@pytest.fixture(autouse=True)
def _two_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_compiler, "is_prepared", lambda kind: kind == "spatial_nonsmooth")
    monkeypatch.setattr(engine_compiler, "expected_seconds", lambda kind: 83.0)


def test_one_plain_line_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled: list[str] = []
    monkeypatch.setattr(engine_compiler, "compile_here", lambda kind, tell: compiled.append(kind))
    warm_up(["spatial_nonsmooth", "planar_nonsmooth"], ProgressLine())
    assert compiled == ["planar_nonsmooth"]
    output = capsys.readouterr()
    assert "1 min 25 s" in output.out
    assert output.err == ""


def test_updated_line_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ProgressLine()
    written = threading.Event()
    line.visible = True
    texts: list[str] = []

    def write(text: str) -> None:
        texts.append(text)
        if "43 %" in text:
            written.set()

    def compiling(kind: str, tell: Callable[[float, str], None]) -> None:
        tell(0.43, "Compiling")
        assert written.wait(60.0), "it updates without reports"
        raise PreparationError("The disk is full.")

    monkeypatch.setattr(line, "_write", write)
    monkeypatch.setattr(engine_compiler, "compile_here", compiling)
    monkeypatch.setattr(shared.time, "monotonic", lambda: 7.0)
    with pytest.raises(PreparationError):
        warm_up(["planar_nonsmooth"], line)
    last = texts.pop()
    assert last == "", "the line is cleared"
    assert texts[-1].startswith("Preparing the planar engine: 43 %, ")
    assert texts[-1].endswith(" s left")
    assert capsys.readouterr().out == ""
