"""Takes the names of symbols out of the bundle's libraries, which only a debugger reads: `strip.py FOLDER`.

Libraries that `patchelf` has edited are left as they are where `strip` breaks their layout: the system's loader refuses
such files.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

LOAD = 1


def is_sound(data: bytes) -> bool:
    """Whether the system's loader can map all parts of a library: at addresses that suit their places in the file."""
    table, size, count = *struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54)
    for index in range(count):
        kind, _, offset, address, _, length, _, align = struct.unpack_from("<IIQQQQQQ", data, table + index * size)
        if kind == LOAD and (offset + length > len(data) or (align > 1 and (offset - address) % align)):
            return False
    return True


def main() -> None:
    """Strip what can be."""
    with tempfile.TemporaryDirectory() as folder:
        stripped = Path(folder, "stripped.so")
        for path in sorted(Path(sys.argv[1]).rglob("*.so*")):
            if path.is_symlink() or not path.read_bytes().startswith(b"\x7fELF"):
                continue
            shutil.copyfile(path, stripped)
            done = subprocess.run(["strip", "--strip-unneeded", str(stripped)], capture_output=True, check=False)
            if done.returncode == 0 and is_sound(stripped.read_bytes()):
                path.write_bytes(stripped.read_bytes())


if __name__ == "__main__":
    main()
