"""Remove from the bundle's libraries what only their builders need: `strip.py FOLDER`.

Symbol names are removed, except in libraries that `patchelf` has edited: there `strip` breaks the
layout, and the system's loader refuses the file. Search paths of the machines that built the
libraries are removed, too: other machines must not search them.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

LOAD = 1
DYNAMIC = 2
"""Types of segments: mapped data, and the dynamic table, which the loader reads."""

END = 0
STRING_TABLE = 5
RPATH = 15
RUNPATH = 29
"""Tags of the dynamic table: its end, the string table, the search path."""


def segments(data: bytes) -> Iterator[tuple[int, int, int, int, int]]:
    """Segments of a 64-bit ELF file: type, offset in the file, address, length in the file, alignment."""
    table, size, count = *struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54)
    for index in range(count):
        kind, _, offset, address, _, length, _, align = struct.unpack_from(
            "<IIQQQQQQ", data, table + index * size
        )
        yield kind, offset, address, length, align


def is_sound(data: bytes) -> bool:
    """Whether the system's loader can map all segments of a library: offsets must match addresses modulo alignment."""
    return not any(
        kind == LOAD and (offset + length > len(data) or (align > 1 and (offset - address) % align))
        for kind, offset, address, length, align in segments(data)
    )


def without_build_folders(data: bytes) -> bytes:
    """Return a library without its search path if no entry is relative to the library itself."""
    parts = list(segments(data))
    table_offset, length = next(
        ((offset, length) for kind, offset, _, length, _ in parts if kind == DYNAMIC), (0, 0)
    )
    entries = [
        struct.unpack_from("<QQ", data, table_offset + 16 * index) for index in range(length // 16)
    ]
    texts = next((value for tag, value in entries if tag == STRING_TABLE), None)
    search_path = next((entry for entry in entries if entry[0] in (RPATH, RUNPATH)), None)
    if texts is None or search_path is None:
        return data
    mapped = next(
        part for part in parts if part[0] == LOAD and part[2] <= texts < part[2] + part[3]
    )
    begin = texts - mapped[2] + mapped[1] + search_path[1]
    folders = data[begin : data.index(b"\0", begin)].split(b":")
    if not all(folder.startswith(b"/") for folder in folders):
        return data
    entries.remove(search_path)
    entries.append((END, 0))
    table = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    return data[:table_offset] + table + data[table_offset + len(table) :]


def stripped(path: Path, spare: Path) -> bytes:
    """Return a library without symbol names, if it stays sound; `spare` is a scratch file."""
    shutil.copyfile(path, spare)
    done = subprocess.run(
        ["strip", "--strip-unneeded", str(spare)], capture_output=True, check=False
    )
    data = spare.read_bytes()
    return data if done.returncode == 0 and is_sound(data) else path.read_bytes()


def main() -> None:
    """Process all libraries."""
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(Path(sys.argv[1]).rglob("*.so*")):
            if not path.is_symlink() and path.read_bytes()[:5] == b"\x7fELF\x02":
                path.write_bytes(without_build_folders(stripped(path, Path(folder, "spare.so"))))


if __name__ == "__main__":
    main()
