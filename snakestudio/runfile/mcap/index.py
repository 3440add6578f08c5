"""Index of a run file: written at its end, and rebuilt by walking over files without an end."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from snakestudio.runfile.mcap.format import MAX_INDEX_BYTES

_HEAD = struct.Struct("<QQQQ")


class Extent(NamedTuple):
    """Position of a record in a file."""

    offset: int
    length: int


@dataclass(slots=True)
class Index:
    """Blocks, notes and checkpoints of a file, and the times of all rows."""

    blocks: list[Extent] = field(default_factory=list)
    """Chunks with rows."""

    first_rows: list[int] = field(default_factory=list)
    """Number of the first row of each block."""

    notes: list[Extent] = field(default_factory=list)
    """Chunks with changes and events."""

    checkpoints: list[tuple[float, Extent]] = field(default_factory=list)
    """Attachments with a state, each with its simulated time, s."""

    times: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """Times of all rows, s. Shape (k,)."""

    def packed(self) -> bytes:
        """Encode the index for the end of a file."""
        parts = [
            _HEAD.pack(len(self.blocks), len(self.notes), len(self.checkpoints), len(self.times)),
            np.array(self.blocks, "<u8").reshape(-1, 2).tobytes(),
            np.array(self.first_rows, "<u8").tobytes(),
            np.array(self.notes, "<u8").reshape(-1, 2).tobytes(),
            np.array([extent for _, extent in self.checkpoints], "<u8").reshape(-1, 2).tobytes(),
            np.array([time for time, _ in self.checkpoints], "<f8").tobytes(),
            self.times.astype("<f8").tobytes(),
        ]
        return zstandard.ZstdCompressor(level=3, write_checksum=True).compress(b"".join(parts))

    @classmethod
    def unpacked(cls, data: bytes, file_size: int) -> Index:
        """Decode the output of `packed`.

        Raises `ValueError` if it is damaged, or points outside a file of this size.
        """
        try:
            size = zstandard.frame_content_size(data)
            # A row and its time take more space in the file than here; a larger declared size is
            # damage.
            if not _HEAD.size <= size <= min(4 * file_size + 4096, MAX_INDEX_BYTES):
                raise ValueError("invalid size")
            plain = zstandard.ZstdDecompressor().decompress(data)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
        n_blocks, n_notes, n_checkpoints, n_rows = _HEAD.unpack_from(plain)
        if size != _HEAD.size + 8 * (3 * n_blocks + 2 * n_notes + 3 * n_checkpoints + n_rows):
            raise ValueError("wrong size")
        numbers = np.frombuffer(plain, "<u8", offset=_HEAD.size)
        cuts = np.cumsum([2 * n_blocks, n_blocks, 2 * n_notes, 2 * n_checkpoints, n_checkpoints])
        blocks, first_rows, notes, checkpoint_extents, times, rows = np.split(numbers, cuts)
        for part in (blocks, notes, checkpoint_extents):
            if len(part) and int(part.reshape(-1, 2).max()) > file_size:
                raise ValueError("a position is outside the file")
        if (
            n_blocks == 0
            or first_rows[0] != 0
            or np.any(np.diff(first_rows.astype(np.int64), append=n_rows) <= 0)
        ):
            raise ValueError("rows are missing")
        return cls(
            _extents(blocks),
            first_rows.tolist(),
            _extents(notes),
            list(zip(times.view("<f8").tolist(), _extents(checkpoint_extents), strict=True)),
            rows.view("<f8").astype(np.float64),
        )


def _extents(flat: NDArray[np.uint64]) -> list[Extent]:
    return [Extent(offset, length) for offset, length in flat.reshape(-1, 2).tolist()]
