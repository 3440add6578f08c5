"""The cache of compiled code: its key depends only on what the code depends on, and old code is removed."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import pytest

from snakestudio import paths, processor
from snakestudio.engines import registry
from snakestudio.kernels import _cache


@pytest.fixture(autouse=True)
def own_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SNAKESTUDIO_KERNELS_DIR", str(tmp_path / "kernels"))
    monkeypatch.setenv("SNAKESTUDIO_PROCESSOR", "baseline")
    monkeypatch.setattr(_cache, "_trouble", "")
    return tmp_path / "kernels"


def test_only_code_unused_for_long_is_removed() -> None:
    present = _cache.compile_cache()
    old = present.with_name("old")
    recent = present.with_name("recent")
    for folder in (old, recent):
        folder.mkdir()
        (folder / "a.kernel").write_bytes(b"code")
    long_ago = time.time() - 40 * 86400
    for folder in (old, present):
        os.utime(folder, (long_ago, long_ago))
    _cache.remove_old_code()
    assert sorted(p.name for p in present.parent.iterdir()) == sorted([present.name, "recent"])
    # The clean-up of another checkout tomorrow sees that it was used today.
    assert present.stat().st_mtime > time.time() - 86400


@pytest.mark.parametrize(
    "name", ["NUMBA_BOUNDSCHECK", "NUMBA_SLP_VECTORIZE", "NUMBA_LOOP_VECTORIZE", "NUMBA_OPT"]
)
def test_other_compiler_settings_have_another_cache(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = _cache.compile_cache()
    monkeypatch.setenv(name, "1")
    assert _cache.compile_cache() != plain


def test_key_names_target_and_not_the_install_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    baseline = _cache.compile_cache().name
    assert "x86-64-v3" in baseline or processor.target().tuned
    monkeypatch.setenv("SNAKESTUDIO_PROCESSOR", "native")
    assert _cache.compile_cache().name != baseline


def package(folder: Path, **sources: str) -> Path:
    for name, text in sources.items():
        path = folder / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


SOURCES = {
    "kernels__solver": "from snakestudio.kernels.limits import MANY\n@jit\ndef solve(): return MANY\n",
    "kernels__limits": "from .columns import FEW\nMANY = FEW\n",
    # A file of constants alone has no compiled code, but code that imports it in any way
    # depends on it.
    "kernels__columns": "FEW = 3\n",
    "engines__a__step": "from snakestudio.kernels import solver\n@jit\ndef advance(): return solver.solve()\n",
    "engines__a__columns": "X, Y = range(2)\n",
    "model__compilable": "def add(a, b): return a + b\n",
}


@pytest.mark.parametrize("changed", SOURCES)
def test_every_source_of_both_packages_counts(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hash_of(folder: Path) -> str:
        monkeypatch.setattr(_cache, "_PACKAGE", folder)
        return _cache.source_hash.__wrapped__()

    before = hash_of(package(tmp_path / "one", **SOURCES))
    assert hash_of(package(tmp_path / "other", **SOURCES)) == before  # in any folder
    assert (
        hash_of(package(tmp_path / "new", **SOURCES | {changed: SOURCES[changed] + "\n# new\n"}))
        != before
    )


def test_all_kernels_are_sources() -> None:
    names = {name for name, _ in _cache._sources()}
    assert {"kernels/_compiler.py", "kernels/octet.py", "engines/planar_nonsmooth/step.py"} <= names
    assert not {name for name in names if not name.startswith(("kernels/", "engines/"))}


def test_engine_counts_as_compiled_with_all_files() -> None:
    assert not _cache.was_compiled("planar_nonsmooth")
    (_cache.compile_cache() / "a.kernel").write_bytes(b"code")
    _cache.mark_compiled("planar_nonsmooth", ["a.kernel"])
    assert _cache.was_compiled("planar_nonsmooth")
    (_cache.compile_cache() / "a.kernel").unlink()
    assert not _cache.was_compiled("planar_nonsmooth")


def test_bundled_code_is_found_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = tmp_path / "shipped"
    folder = shipped / _cache.compile_cache().name
    folder.mkdir(parents=True)
    monkeypatch.setattr(_cache, "compiled_kernels_dir", lambda: shipped)
    (folder / "a.kernel").write_bytes(b"code")
    (folder / "planar_nonsmooth.warm").write_text("a.kernel\n")
    assert _cache.compiled_folders()[0] == folder
    assert _cache.was_compiled("planar_nonsmooth")


def test_unwritable_folder_is_replaced_by_a_temporary_one(
    own_kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_kernels.write_text("a file stands there")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    paths.temporary_dir.cache_clear()
    result = _cache.compile_cache()
    assert result.is_relative_to(tmp_path / f"snakestudio-{os.getuid()}")
    assert str(own_kernels) in _cache.cache_trouble()
    paths.temporary_dir.cache_clear()


def test_other_users_cannot_plant_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    paths.temporary_dir.cache_clear()
    planted = tmp_path / f"snakestudio-{os.getuid()}"
    planted.mkdir(mode=0o777)
    planted.chmod(0o777)
    assert paths.temporary_dir() != planted
    paths.temporary_dir.cache_clear()


def test_cache_problem_is_reported(
    own_kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert registry.note() == ""
    own_kernels.write_text("a file stands there")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    paths.temporary_dir.cache_clear()
    _cache.compile_cache()
    assert f"cannot be saved in {own_kernels}" in registry.note()
    assert "SNAKESTUDIO_KERNELS_DIR" in registry.note()
    paths.temporary_dir.cache_clear()


def test_numba_mismatch_with_bundled_engines_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "compiled_kernels_dir", lambda: tmp_path)
    assert registry.note() == ""
    monkeypatch.setattr(registry.metadata, "version", lambda name: "0.99.0")
    assert "numba 0.99.0 is installed" in registry.note()
    assert "pip install numba==" in registry.note()
