"""Puts the documentation site and compiled kernels into a wheel while hatch builds it (see `packaging/wheel.sh`).

``SNAKESTUDIO_SITE`` is the folder of the built site; without it the wheel has the pages in Markdown
alone.

With ``SNAKESTUDIO_WITH_KERNELS=1`` every engine is compiled for the baseline by the Python that
builds, and the wheel is for that version of Python. Without, it is for any Python and system, and
compiles its engines when first used.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsHook(BuildHookInterface):
    """Compiles into a temporary folder and lets hatch take what is there."""

    _folder: Path | None = None

    def _wanted(self) -> bool:
        return self.target_name == "wheel" and os.environ.get("SNAKESTUDIO_WITH_KERNELS") == "1"

    def dependencies(self) -> list[str]:
        """What the engines need to be compiled, as it is pinned: code fits one version of numba only."""
        if not self._wanted():
            return []
        lines = Path(self.root, "packaging", "requirements.txt").read_text().splitlines()
        return [line for line in lines if line.strip() and not line.startswith("#")]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and add the files that are not in the checkout."""
        site = os.environ.get("SNAKESTUDIO_SITE")
        if site and self.target_name == "wheel" and version != "editable":
            build_data["force_include"][site] = "snakestudio/_data/site"
        if version == "editable" or not self._wanted():
            return
        self._folder = Path(tempfile.mkdtemp(prefix="snakestudio-kernels-"))
        environment = os.environ | {
            "PYTHONPATH": self.root,
            "SNAKESTUDIO_CACHE_DIR": str(self._folder),
            "SNAKESTUDIO_KERNELS_DIR": str(self._folder / "kernels"),
            "SNAKESTUDIO_PROCESSOR": "baseline",
            # Whatever is ordered by hashes shall be ordered the same in every build.
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

        def python(*arguments: str) -> str:
            done = subprocess.run(
                [sys.executable, *arguments],
                cwd=self.root,
                env=environment,
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            )
            return done.stdout

        kinds = python(
            "-c", "from snakestudio.model.registry import FORMULATIONS; print(*FORMULATIONS)"
        ).split()
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            for kind, _ in zip(
                kinds,
                pool.map(lambda kind: python("-m", "snakestudio", "warm-up", kind), kinds),
                strict=True,
            ):
                self.app.display_info(f"compiled {kind}")
        (made,) = (path for path in (self._folder / "kernels").iterdir() if path.is_dir())
        if "tuned" in made.name:
            raise RuntimeError(
                "this processor lacks the baseline (x86-64-v3): build the wheel on a newer one"
            )
        hashed = "from snakestudio.kernels import _cache; print(_cache.source_hash())"
        (self._folder / "sources").write_text(python("-c", hashed))
        build_data["force_include"][str(made)] = f"snakestudio/_data/kernels/{made.name}"
        build_data["force_include"][str(self._folder / "sources")] = (
            "snakestudio/_data/kernels/sources"
        )
        build_data["pure_python"] = False
        build_data["tag"] = "cp{0}{1}-cp{0}{1}-linux_x86_64".format(*sys.version_info)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing behind."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
