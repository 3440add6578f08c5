"""The cache of compiled code: keyed by all that the code depends on and by nothing else; old ones do not pile up."""

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


def test_only_what_was_not_used_for_long_is_removed() -> None:
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
    # Another checkout that sweeps tomorrow sees that it was used today.
    assert present.stat().st_mtime > time.time() - 86400


@pytest.mark.parametrize(
    "name", ["NUMBA_BOUNDSCHECK", "NUMBA_SLP_VECTORIZE", "NUMBA_LOOP_VECTORIZE", "NUMBA_OPT"]
)
def test_other_settings_of_the_compiler_have_another_cache(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = _cache.compile_cache()
    monkeypatch.setenv(name, "1")
    assert _cache.compile_cache() != plain


def test_the_key_says_what_it_is_for_and_not_where_the_program_lies(
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
    # A file of constants alone has no compiled code, but what has some reads it, in whatever way it
    # is imported.
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
    assert hash_of(package(tmp_path / "other", **SOURCES)) == before  # wherever it lies
    assert (
        hash_of(package(tmp_path / "new", **SOURCES | {changed: SOURCES[changed] + "\n# new\n"}))
        != before
    )


def test_all_kernels_are_sources() -> None:
    names = {name for name, _ in _cache._sources()}
    assert {"kernels/_compiler.py", "kernels/octet.py", "engines/planar_nonsmooth/step.py"} <= names
    assert not {name for name in names if not name.startswith(("kernels/", "engines/"))}


def test_an_engine_is_compiled_if_all_its_files_are_there() -> None:
    assert not _cache.was_compiled("planar_nonsmooth")
    (_cache.compile_cache() / "a.kernel").write_bytes(b"code")
    _cache.mark_compiled("planar_nonsmooth", ["a.kernel"])
    assert _cache.was_compiled("planar_nonsmooth")
    (_cache.compile_cache() / "a.kernel").unlink()
    assert not _cache.was_compiled("planar_nonsmooth")


def test_code_that_came_with_the_program_is_found_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = tmp_path / "shipped"
    folder = shipped / _cache.compile_cache().name
    folder.mkdir(parents=True)
    monkeypatch.setattr(_cache, "compiled_kernels_dir", lambda: shipped)
    (folder / "a.kernel").write_bytes(b"code")
    (folder / "planar_nonsmooth.warm").write_text("a.kernel\n")
    assert _cache.compiled_folders()[0] == folder
    assert _cache.was_compiled("planar_nonsmooth")


def test_a_folder_that_cannot_be_written_is_replaced_by_a_temporary_one(
    own_kernels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_kernels.write_text("a file stands there")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    paths.temporary_dir.cache_clear()
    found = _cache.compile_cache()
    assert found.is_relative_to(tmp_path / f"snakestudio-{os.getuid()}")
    assert str(own_kernels) in _cache.cache_trouble()
    paths.temporary_dir.cache_clear()


def test_nobody_else_can_put_code_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    paths.temporary_dir.cache_clear()
    planted = tmp_path / f"snakestudio-{os.getuid()}"
    planted.mkdir(mode=0o777)
    planted.chmod(0o777)
    assert paths.temporary_dir() != planted
    paths.temporary_dir.cache_clear()


def test_what_the_user_should_know_of_it_is_told(
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


def test_another_numba_than_that_of_the_shipped_engines_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "compiled_kernels_dir", lambda: tmp_path)
    assert registry.note() == ""
    monkeypatch.setattr(registry.metadata, "version", lambda name: "0.99.0")
    assert "numba 0.99.0 is installed" in registry.note()
    assert "pip install numba==" in registry.note()
