"""Draw the letters of `resources/fonts/letters.npz` with pillow: run by hand when letters or sizes change."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
SIZES = (11, 12, 13, 14, 16, 18, 20, 24, 28, 32, 40, 48, 64)
LETTERS = "".join(map(chr, range(32, 127))) + "°²³µ·×ÄÖÜßäöüΔΘθµφτωδ–−…→"
WIDTH = 1024


def main() -> None:
    """Write the atlas."""
    letters = "".join(dict.fromkeys(LETTERS))
    image = Image.new("L", (WIDTH, 2048))
    draw = ImageDraw.Draw(image)
    boxes = np.zeros((len(SIZES), len(letters), 4), np.int16)
    offsets = np.zeros((len(SIZES), len(letters), 2), np.int16)
    advances = np.zeros((len(SIZES), len(letters)), np.float32)
    metrics = np.zeros((len(SIZES), 2), np.int16)
    x = y = 1
    for s, size in enumerate(SIZES):
        font = ImageFont.truetype(str(FONT), size)
        ascent, descent = font.getmetrics()
        metrics[s] = ascent, descent
        row = ascent + descent + 2
        for k, letter in enumerate(letters):
            left, top, right, bottom = font.getbbox(letter)
            w, h = int(right - left), int(bottom - top)
            if x + w + 2 > WIDTH:
                x = 1
                y = y + row
            draw.text((x - left, y - top), letter, fill=255, font=font)
            boxes[s, k] = x, y, w, h
            offsets[s, k] = left, top
            advances[s, k] = font.getlength(letter)
            x += w + 2
        x = 1
        y = y + row
    target = Path(__file__).parents[2] / "resources" / "fonts" / "letters.npz"
    np.savez_compressed(
        target,
        image=np.asarray(image)[: y + 1],
        sizes=np.array(SIZES, np.int16),
        letters=np.array(list(letters)),
        boxes=boxes,
        offsets=offsets,
        advances=advances,
        metrics=metrics,
    )
    print(target, image.size, y, target.stat().st_size)


if __name__ == "__main__":
    main()
