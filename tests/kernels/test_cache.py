"""The cache of compiled code: keyed by its sources, and old ones do not pile up."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from snakestudio.kernels import _cache


def test_only_what_was_not_used_for_long_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNAKESTUDIO_CACHE_DIR", str(tmp_path))
    present = _cache.compile_cache()
    old, recent = present.with_name("old"), present.with_name("recent")
    for folder in (old, recent):
        folder.mkdir()
        (folder / "kernel.nbi").write_bytes(b"code")
    long_ago = time.time() - 40 * 86400
    for folder in (old, present):
        os.utime(folder, (long_ago, long_ago))
    _cache.forget_old_code()
    assert sorted(p.name for p in present.parent.iterdir()) == sorted([present.name, "recent"])


def test_other_settings_of_the_compiler_have_another_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNAKESTUDIO_CACHE_DIR", str(tmp_path))
    plain = _cache.compile_cache()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert _cache.compile_cache() != plain
