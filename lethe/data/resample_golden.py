#!/usr/bin/env python3
"""Writes resample_golden.inc: two images resized by Pillow's antialiased bilinear filter, for resample_test.cpp.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install pillow && /tmp/venv/bin/python lethe/data/resample_golden.py

torchvision calls the same function for PIL images, after a crop. The test uses the same formulas for the two images.
"""
import pathlib

from PIL import Image, __version__

HEIGHT, WIDTH = 29, 43


def noise(y, x):
    return (y * y * 31 + x * x * 17 + y * x * 7 + (y ^ x) * 53) % 256


def waves(y, x):
    return min(255, (y * 9) % 97 + (x * 5) % 160)


def draw(pixel):
    return Image.frombytes("L", (WIDTH, HEIGHT), bytes(pixel(y, x) for y in range(HEIGHT) for x in range(WIDTH)))


# Crop (top, left, height, width), then the output height and width: smaller, much smaller, larger, one axis smaller and
# one larger, only one axis, only the other axis.
WHOLE = (0, 0, HEIGHT, WIDTH)
CASES = [(WHOLE, 16, 16), (WHOLE, 3, 4), (WHOLE, 37, 51), (WHOLE, 40, 9), (WHOLE, HEIGHT, 20), (WHOLE, 12, WIDTH),
         ((5, 7, 20, 30), 14, 14), ((28, 42, 1, 1), 3, 2), ((0, 10, 29, 3), 11, 8)]
lines = [f"// By resample_golden.py with Pillow {__version__}."]
for name, pixel in (("noise", noise), ("waves", waves)):
    image = draw(pixel)
    for (top, left, height, width), out_height, out_width in CASES:
        part = image.crop((left, top, left + width, top + height)).resize((out_width, out_height), Image.BILINEAR)
        values = ",".join(str(value) for value in part.tobytes())
        lines.append(f"{{{name}, {{{top}, {left}, {height}, {width}}}, {out_height}, {out_width}, {{{values}}}}},")
pathlib.Path(__file__).with_name("resample_golden.inc").write_text("\n".join(lines) + "\n")
