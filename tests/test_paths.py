"""Paths of the program."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from snakestudio import paths
from snakestudio.paths import own_program, replaced_folders, runs_dir, scenes_dir, state_dir
from snakestudio.viewmodel.unwritable import unwritable_notice


@pytest.mark.parametrize("name", ["snakestudio.py", "numpy.py", "tomllib.py"])
def test_helper_processes_import_nothing_from_their_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("raise SystemExit('this is not part of the program')\n")
    check = [*own_program(), "check", str(scenes_dir() / "sidewinding.toml")]
    process = subprocess.run(
        check, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert process.returncode == 0, process.stderr


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Temporary folder of the test; returns the program's folder in it."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    paths.temporary_dir.cache_clear()
    yield folder / f"snakestudio-{os.getuid()}"
    paths.temporary_dir.cache_clear()


@pytest.fixture
def unwritable_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "file").write_text("no folder")
    home = tmp_path / "file" / "home"
    monkeypatch.setenv("HOME", str(home))
    for name in (
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
        "SNAKESTUDIO_CACHE_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    return home


def test_unwritable_home_is_replaced_and_reported_once(
    unwritable_home: Path, temporary: Path
) -> None:
    assert {
        folder.parent
        for folder in (runs_dir(), state_dir(), paths.profiles_dir(), paths.cache_dir())
    } == {temporary}
    assert (runs_dir() / "run.mcap").write_bytes(b"1") == 1
    assert unwritable_notice(replaced_folders(), str(unwritable_home / ".config" / "a.conf")) == (
        f"{unwritable_home} cannot be written (Not a directory). Runs, unsaved scenes, robot profiles, plug-in "
        f"permissions and caches go to {temporary} until the computer restarts. Settings are not "
        "saved. Make the folder writable, or set other folders in "
        "SNAKESTUDIO_DATA_DIR, SNAKESTUDIO_STATE_DIR, SNAKESTUDIO_CONFIG_DIR and SNAKESTUDIO_CACHE_DIR."
    )


@pytest.mark.parametrize(
    ("variable", "content"), [("STATE", "unsaved scenes"), ("DATA", "runs"), ("CACHE", "caches")]
)
def test_unwritable_folder_does_not_affect_others(
    variable: str, content: str, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    for name in ("STATE", "DATA", "CACHE"):
        monkeypatch.setenv(
            f"SNAKESTUDIO_{name}_DIR", str(tmp_path / ("file" if name == variable else name))
        )
    replaced = replaced_folders()
    assert content in [one.content for one in replaced]
    assert {one.variable for one in replaced} == {f"SNAKESTUDIO_{variable}_DIR"}
    assert f"SNAKESTUDIO_{variable}_DIR" in unwritable_notice(replaced)


def test_writable_folders_are_not_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNAKESTUDIO_DATA_DIR", str(tmp_path / "data"))
    assert runs_dir() == tmp_path / "data" / "runs"
    assert unwritable_notice(replaced_folders()) == ""


def test_user_without_home_gets_no_folder_named_tilde(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(paths, "_platform_folder", lambda kind: Path("~/.local/state/snakestudio"))
    assert state_dir().parent == temporary
    assert not (tmp_path / "~").exists()


def test_matplotlib_gets_a_writable_folder(
    unwritable_home: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MPLCONFIGDIR", raising=False)
    paths.set_matplotlib_folder()
    assert os.environ["MPLCONFIGDIR"] == str(temporary / "matplotlib")
    monkeypatch.delenv("MPLCONFIGDIR")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(temporary / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(temporary / "cache"))
    paths.set_matplotlib_folder()
    assert "MPLCONFIGDIR" not in os.environ
