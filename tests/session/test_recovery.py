"""Unsaved scenes on disk: they record their file, and those of a running window are not used."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from snakestudio.model.edits import with_value
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import state_dir
from snakestudio.session import recovery
from snakestudio.session.recovery import (
    RecoveryFile,
    is_running,
    process_start,
    recovery_dir,
    unsaved_scenes,
)


@pytest.fixture
def scene() -> Scene:
    return with_value(Scene(), "gait.amplitude_deg", 33.0)


def orphaned(file: RecoveryFile) -> None:
    """Make a file look as if written by a process that has ended, whose number is used by another."""
    text = file.path.read_text(encoding="utf-8")
    file.path.write_text(
        text.replace(f"started: {process_start(os.getpid())}", "started: 1"), encoding="utf-8"
    )


def test_folder_is_the_state_folder_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_STATE_DIR", str(tmp_path / "state"))
    assert state_dir() == tmp_path / "state"
    assert recovery_dir() == tmp_path / "state" / "unsaved"
    assert recovery_dir().is_dir()


def test_unsaved_scene_of_an_ended_window_is_found(scene: Scene) -> None:
    file = RecoveryFile()
    odd = Path("/some where/a\n'b\".toml")
    file.write(scene, odd, file.next_order())
    assert unsaved_scenes() == [], "its window still runs"
    orphaned(file)
    (unsaved,) = unsaved_scenes()
    assert unsaved.scene == scene
    assert unsaved.path == odd
    assert unsaved.kept_in == file.path
    assert load_scene(file.path) == scene, "a person can use it too"
    unsaved.discard()
    assert unsaved_scenes() == []


def test_scene_without_a_file_is_saved(scene: Scene) -> None:
    file = RecoveryFile()
    file.write(scene, None, file.next_order())
    orphaned(file)
    (unsaved,) = unsaved_scenes()
    assert unsaved.path is None
    assert unsaved.name == "untitled scene"


def test_windows_of_one_process_do_not_share_a_file() -> None:
    assert RecoveryFile().path != RecoveryFile().path


def test_outdated_write_is_discarded(scene: Scene) -> None:
    file = RecoveryFile()
    early = file.next_order()
    file.remove()
    file.write(scene, None, early)
    assert not file.path.exists()
    early = file.next_order()
    late = file.next_order()
    file.write(with_value(scene, "gait.amplitude_deg", 5.0), None, late)
    file.write(scene, None, early)
    assert load_scene(file.path).gait.amplitude_deg == 5.0


def test_threads_that_write_and_remove_leave_nothing_behind(scene: Scene) -> None:
    file = RecoveryFile()

    def write() -> None:
        for _ in range(5):
            file.write(scene, None, file.next_order())

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    file.remove()
    assert list(recovery_dir().iterdir()) == []


def test_incomplete_files_are_removed(scene: Scene) -> None:
    half, living = (
        recovery_dir() / f".unsaved-{pid}-1.toml.abc.tmp" for pid in (2**22 + 1, os.getpid())
    )
    for path in (half, living):
        path.write_text("format")
    assert unsaved_scenes() == []
    assert (half.exists(), living.exists()) == (False, True)


def test_other_files_in_the_folder_are_left_alone(scene: Scene) -> None:
    (recovery_dir() / "unsaved-1-1.toml").write_text("no scene at all [")
    (recovery_dir() / "unsaved-mine.toml").write_text("format = 1\n")
    (recovery_dir() / "notes.txt").write_text("mine")
    assert unsaved_scenes() == []
    assert len(list(recovery_dir().iterdir())) == 3


def test_process_is_identified_by_its_start() -> None:
    own = process_start(os.getpid())
    assert own
    assert is_running(os.getpid(), own)
    assert not is_running(os.getpid(), "1"), "the number was given to another process"
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    begun = process_start(child.pid)
    assert begun is not None
    assert is_running(child.pid, begun)
    child.kill()
    child.communicate()
    assert not is_running(child.pid, begun)


def test_ps_is_used_without_a_proc_file_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "Path", lambda name: Path(str(name).replace("/proc", "/no/proc")))
    exists = os.path.exists
    monkeypatch.setattr(os.path, "exists", lambda name: exists(name.replace("/proc", "/no/proc")))
    own = process_start(os.getpid())
    assert own
    assert own == process_start(os.getpid())
    assert process_start(2**22 + 1) is None
