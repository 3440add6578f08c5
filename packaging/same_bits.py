"""Check that results do not depend on the processor: `same_bits.py` runs scenes here and on an emulated Haswell.

Needs Debian's `qemu-user` and takes a few minutes. Prints the digests of all columns of each run on
both processors, and exits with 1 if a pair differs. Haswell is the oldest family of the baseline:
it has neither AVX-512 nor kernels of OpenBLAS for newer processors.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCENES = (
    "obstacle_aided",
    "sidewinding",
    "obstacle_aided_3d",
    "lagrangian_undulation",
    "jam_resolution",
    "path_following",
    "continuum_snake_3d",
    "inchworm",
)
DURATION_S = 0.5
PROGRAM = """
import hashlib, sys
import snakestudio as ss
for scene in sys.argv[2:]:
    run = ss.simulate(f"scenes/{scene}.toml", duration=float(sys.argv[1]))
    digest = hashlib.sha256()
    for name in run:
        digest.update(name.encode() + run[name].tobytes())
    print(scene, digest.hexdigest()[:16], flush=True)
"""


def digests(*emulator: str) -> dict[str, str]:
    """Return the digest of each scene's run."""
    done = subprocess.run(
        [*emulator, sys.executable, "-c", PROGRAM, str(DURATION_S), *SCENES],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
        env=os.environ | {"SNAKESTUDIO_PROCESSOR": "baseline", "PYTHONPATH": str(ROOT)},
    )
    return dict(line.split() for line in done.stdout.splitlines())


def main() -> int:
    """Compare the digests. Return 1 if a pair differs."""
    emulator = shutil.which("qemu-x86_64") or shutil.which("qemu-x86_64-static")
    if emulator is None:
        print("same_bits: qemu-x86_64 is missing: apt-get install qemu-user", file=sys.stderr)
        return 2
    here = digests()
    emulated = digests(emulator, "-cpu", "Haswell")
    for scene in SCENES:
        verdict = "same bits" if here[scene] == emulated[scene] else "DIFFERENT"
        print(f"{scene:24} {here[scene]} {emulated[scene]}  {verdict}")
    return int(here != emulated)


if __name__ == "__main__":
    sys.exit(main())
