"""The window on a machine with a home folder that cannot be written, and without fonts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.gui

PROBE = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QApplication
from snakestudio.gui.app import run

def watch(window):
    banners = window.context.banners
    def look():
        if banners.files.text:
            print(banners.files.text)
            print(repr(banners.program.text), QFontInfo(QApplication.font()).family())
            timer.stop()
            window.close()
    timer = QTimer(window)
    timer.timeout.connect(look)
    timer.start(20)

sys.exit(run(None, watch))
"""

NO_FONTS = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>'


def test_window_opens_without_home_and_fonts(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "fonts.conf").write_text(NO_FONTS)
    (tmp_path / "tmp").mkdir()
    environment = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(("XDG_", "SNAKESTUDIO_C"))
    }
    environment |= {
        "HOME": str(tmp_path / "file" / "home"),
        "TMPDIR": str(tmp_path / "tmp"),
        "FONTCONFIG_FILE": str(tmp_path / "fonts.conf"),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=environment,
    )
    assert (done.returncode, done.stderr) == (0, "")
    notice, rest = done.stdout.strip().splitlines()
    assert notice.startswith(
        f"{tmp_path / 'file' / 'home'} cannot be written (Not a directory). Runs, unsaved scenes,"
    )
    assert "Settings" in notice
    assert rest == "'' DejaVu Sans"
