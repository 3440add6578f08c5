"""Convert the screen of an X server to PNG, and fail if it is empty: `screen.py SCREEN.xwd IMAGE.png`.

Xvfb keeps its screen in a file (`-fbdir`), so no other program has to run
during the capture.
"""

from __future__ import annotations

import struct
import sys
import zlib
from collections import Counter
from pathlib import Path

LEAST_COLOURS = 500
LARGEST_SHARE = 0.8
"""Largest share of one colour. A window with a 3D view has thousands of colours, none of which covers
nearly all of it."""


def pixels(data: bytes) -> tuple[int, int, bytes]:
    """Return width, height, and the pixels as blue, green, red and padding."""
    header = struct.unpack(">25I", data[:100])
    begin = header[0]
    width = header[4]
    height = header[5]
    per_line = header[12]
    colours = header[19]
    start = begin + 12 * colours
    rows = [data[start + y * per_line : start + y * per_line + 4 * width] for y in range(height)]
    return width, height, b"".join(rows)


def png(width: int, height: int, data: bytes) -> bytes:
    """Return the image encoded as PNG."""
    rgb = bytearray(3 * width * height)
    rgb[0::3] = data[2::4]
    rgb[1::3] = data[1::4]
    rgb[2::3] = data[0::4]
    lines = b"".join(b"\0" + rgb[3 * width * y : 3 * width * (y + 1)] for y in range(height))

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


def main() -> int:
    """Write the image. Return 1 if the screen is empty."""
    width, height, data = pixels(Path(sys.argv[1]).read_bytes())
    Path(sys.argv[2]).write_bytes(png(width, height, data))
    counted = Counter(data[i : i + 3] for i in range(0, len(data), 4))
    fraction = counted.most_common(1)[0][1] / (width * height)
    print(f"{width} x {height} px, {len(counted)} colours, {fraction:.0%} of it in one")
    return 0 if len(counted) >= LEAST_COLOURS and fraction <= LARGEST_SHARE else 1


if __name__ == "__main__":
    sys.exit(main())
