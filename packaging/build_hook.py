"""Hatch build hook: adds the documentation site and compiled kernels to the wheel (see `packaging/wheel.sh`).

``SNAKESTUDIO_SITE`` is the folder of the built site; without it the wheel contains the pages in
Markdown only.

With ``SNAKESTUDIO_WITH_KERNELS=1`` every engine is compiled for the baseline by the Python that
builds, and the wheel is for that version of Python. Without it the wheel is for any Python and
system, and compiles its engines when they are first used.
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
    """Compile into a temporary folder and include its files in the wheel."""

    _folder: Path | None = None

    def _with_kernels(self) -> bool:
        return self.target_name == "wheel" and os.environ.get("SNAKESTUDIO_WITH_KERNELS") == "1"

    def dependencies(self) -> list[str]:
        """Return the pinned packages needed to compile the engines: compiled code fits one version of numba only."""
        if not self._with_kernels():
            return []
        lines = Path(self.root, "packaging", "requirements.txt").read_text().splitlines()
        return [line for line in lines if line.strip() and not line.startswith("#")]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and add the files that are not in the checkout."""
        site = os.environ.get("SNAKESTUDIO_SITE")
        if site and self.target_name == "wheel" and version != "editable":
            build_data["force_include"][site] = "snakestudio/_data/site"
        if version == "editable" or not self._with_kernels():
            return
        self._folder = Path(tempfile.mkdtemp(prefix="snakestudio-kernels-"))
        environment = os.environ | {
            "PYTHONPATH": self.root,
            "SNAKESTUDIO_CACHE_DIR": str(self._folder),
            "SNAKESTUDIO_KERNELS_DIR": str(self._folder / "kernels"),
            "SNAKESTUDIO_PROCESSOR": "baseline",
            # The order of sets must be the same in every build.
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
        (kernels,) = (path for path in (self._folder / "kernels").iterdir() if path.is_dir())
        if "tuned" in kernels.name:
            raise RuntimeError(
                "this processor does not support the baseline (x86-64-v3). Build the wheel on a newer one."
            )
        hashed = "from snakestudio.kernels import _cache; print(_cache.source_hash())"
        (self._folder / "sources").write_text(python("-c", hashed))
        build_data["force_include"][str(kernels)] = f"snakestudio/_data/kernels/{kernels.name}"
        build_data["force_include"][str(self._folder / "sources")] = (
            "snakestudio/_data/kernels/sources"
        )
        build_data["pure_python"] = False
        build_data["tag"] = "cp{0}{1}-cp{0}{1}-linux_x86_64".format(*sys.version_info)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
