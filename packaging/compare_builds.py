"""List the files that differ between two builds, and the files inside archives: `compare_builds.py ONE OTHER`."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

MOST_LISTED = 20
"""Most names of differing files listed per archive."""


def digest(stream: IO[bytes]) -> str:
    """Return the SHA-256 of the rest of a stream."""
    return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]


def in_tar(stream: IO[bytes]) -> Iterator[tuple[str, str]]:
    """Members of a tar archive with their digests and metadata."""
    with tarfile.open(fileobj=stream, mode="r|*") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            metadata = (
                f"{member.mode:o} {member.mtime:.0f} {member.uid} {member.gid} {member.linkname}"
            )
            yield member.name, f"{metadata} {digest(file) if file else ''}"


def members(path: Path) -> dict[str, str]:
    """Return the contents of a file by name; empty for a file that is not an archive."""
    if path.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(path) as archive:
            return {
                info.filename: f"{info.date_time} {info.external_attr:o} {digest(archive.open(info))}"
                for info in archive.infolist()
            }
    if path.name.endswith(".tar.gz"):
        with path.open("rb") as stream:
            return dict(in_tar(stream))
    command = {
        ".zst": ["zstd", "-dcq", "--long=27", str(path)],
        ".deb": ["dpkg-deb", "--fsys-tarfile", str(path)],
    }
    if path.suffix not in command:
        return {}
    with subprocess.Popen(command[path.suffix], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        return dict(in_tar(process.stdout))


def differences(one: Path, other: Path) -> Iterator[str]:
    """One sentence for each file that differs between the folders."""
    names = sorted({path.name for folder in (one, other) for path in folder.iterdir()})
    for name in names:
        left, right = one / name, other / name
        if not (left.is_file() and right.is_file()):
            yield f"{name}: only in {one if left.exists() else other}"
            continue
        if left.read_bytes() == right.read_bytes():
            continue
        first = members(left)
        second = members(right)
        inside = sorted(
            key for key in first.keys() | second.keys() if first.get(key) != second.get(key)
        )
        yield f"{name}: differs" + (
            f" in {len(inside)} of {len(first)} files inside" if first else ""
        )
        yield from (f"    {key}" for key in inside[:MOST_LISTED])
        if first and not inside:
            yield "    (the contents are equal, the packing differs)"


def main() -> int:
    """Print the differences. Return 1 if there are any."""
    lines = list(differences(Path(sys.argv[1]), Path(sys.argv[2])))
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
