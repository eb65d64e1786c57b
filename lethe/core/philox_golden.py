#!/usr/bin/env python3
"""Writes philox_golden.inc with an independent Philox4x32-10 in plain integers, for random_test.cpp."""
import pathlib

M0, M1, W0, W1, MASK = 0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85, 0xFFFFFFFF


def philox(counter, key):
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = M0 * c0, M1 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & MASK, (p0 >> 32) ^ c3 ^ k1, p0 & MASK
        k0, k1 = (k0 + W0) & MASK, (k1 + W1) & MASK
    return c0, c1, c2, c3


# Check this program itself: the published value for counter 0 and key 0.
assert philox((0, 0, 0, 0), (0, 0)) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
SEED = 0x0123456789ABCDEF
KEY = (SEED & MASK, SEED >> 32)
numbers = [n for block in range(2) for n in philox((block, 7, 5, 9), KEY)]
path = pathlib.Path(__file__).with_name("philox_golden.inc")
path.write_text(", ".join(f"0x{n:08x}u" for n in numbers) + "\n")
