"""Environments of the program: closed standard streams, encodings, folders, displays, paths as URLs."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.cli.standard_streams import complete_standard_streams
from snakestudio.paths import main_scene

MAIN = str(main_scene())
PROGRAM = [sys.executable, "-m", "snakestudio"]


def in_shell(
    redirections: str, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirections}', "sh", *PROGRAM, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("redirections", ["2>&-", "<&- >&- 2>&-"])
def test_run_with_closed_streams_succeeds(redirections: str, tmp_path: Path) -> None:
    csv = tmp_path / "run.csv"
    done = in_shell(redirections, "run", MAIN, "--duration", "0.1", "--csv", str(csv))
    assert done.returncode == 0
    rows = [line for line in csv.read_text().splitlines() if not line.startswith("#")]
    assert len(rows) == 12  # names, and a row every 10 ms
    assert all(row.count(",") == rows[0].count(",") for row in rows), "nothing else is in the file"


def test_mistake_with_closed_errors_exits_with_2(tmp_path: Path) -> None:
    assert in_shell("2>&-", "check", str(tmp_path / "missing.toml")).returncode == 2


def test_child_with_closed_output_prints_nothing() -> None:
    # The replacement of a closed output is read-only, and is inherited as such.
    assert in_shell("1</dev/null", "check", MAIN).returncode == 0


def test_characters_missing_in_an_encoding_are_escaped(tmp_path: Path) -> None:
    scene = tmp_path / "mü.toml"
    shutil.copyfile(MAIN, scene)
    done = in_shell("", "check", str(scene), PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "m\\xfc.toml: no problems" in done.stdout


def test_open_streams_are_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    text = io.StringIO()
    monkeypatch.setattr(sys, "stdout", text)
    complete_standard_streams()
    assert sys.stdout is text


def test_deleted_current_folder_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    deleted = tmp_path / "gone"
    deleted.mkdir()
    monkeypatch.chdir(deleted)
    deleted.rmdir()
    assert main(["check", MAIN]) == 2
    assert "exists" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["gui"], [MAIN]])
def test_unreachable_display_is_reported(arguments: list[str]) -> None:
    environment = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(("WAYLAND", "QT_QPA"))
    }
    environment["DISPLAY"] = ":9876"
    done = subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 2
    assert "snakestudio: The display (DISPLAY=:9876)" in done.stderr
    assert "--video run.mp4" in done.stderr


@pytest.mark.parametrize(
    "path",
    ["~/s ü.toml", "file://{home}/s%20%C3%BC.toml", "file://localhost{home}/s%20%C3%BC.toml"],
)
def test_path_can_be_a_url_or_start_with_a_tilde(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    scene = tmp_path / "s ü.toml"
    shutil.copyfile(MAIN, scene)
    target = path.format(home=tmp_path).replace(".toml", ".csv")
    assert main(["run", path.format(home=tmp_path), "--duration", "0.05", f"--csv={target}"]) == 0
    assert f"wrote {scene.with_suffix('.csv')}" in capsys.readouterr().out
    assert scene.with_suffix(".csv").is_file()


def test_url_of_another_computer_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "file://lab-pc/scenes/a.toml"])
    assert ended.value.code == 2
    assert "snakestudio: file://lab-pc/scenes/a.toml" in capsys.readouterr().err
