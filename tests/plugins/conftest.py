from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from snakestudio.plugins.loaded import loaded
from snakestudio.plugins.loading import unload


@pytest.fixture(autouse=True)
def own_plugins(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Unload and distrust all plug-ins before and after a test; yields the folder of the trust list."""
    folder = tmp_path_factory.mktemp("config")
    monkeypatch.setenv("SNAKESTUDIO_CONFIG_DIR", str(folder))
    yield folder
    for plugin in loaded():
        unload(plugin.name)
