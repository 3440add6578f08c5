from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.errors import PluginRuntimeError
from snakestudio.gui.plugins.watchdog import Watchdog
from snakestudio.plugins.loading import load
from tests.plugins.plugin_files import WAG, written


def test_plugin_that_keeps_the_window_is_ended(tmp_path: Path) -> None:
    watchdog = Watchdog(patience=0.2)
    try:
        with pytest.raises(PluginRuntimeError, match=r"The plug-in wag was cancelled in line \d+ of"):
            load(written(tmp_path, text=f"{WAG}\nwhile True:\n    pass\n"))
    finally:
        watchdog.close()
