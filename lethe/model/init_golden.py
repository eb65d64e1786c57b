#!/usr/bin/env python3
"""Computes the expected values of init_test.cpp from the papers, independently of the C++ code.

Philox4x32-10 (Salmon et al. 2011), FNV-1a, Box-Muller, Xavier-normal and Kaiming-normal.
Usage: init_golden.py
"""
import math
import struct

MASK = 0xFFFFFFFF
INIT = 1  # Purpose::kInit


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & MASK, (p0 >> 32) ^ c[3] ^ k[1], p0 & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


def fnv1a(text):
    h = 2166136261
    for byte in text.encode():
        h = ((h ^ byte) * 16777619) & MASK
    return h


def normals(seed, name, count):
    bits, block = [], 0
    while len(bits) < count + 1:
        bits += philox([block, INIT, fnv1a(name), 0], [seed & MASK, seed >> 32])
        block += 1
    out = []
    for i in range(0, count, 2):
        u, v = bits[i] / 2**32, bits[i + 1] / 2**32
        radius = math.sqrt(-2 * math.log(1 - u))
        out += [radius * math.cos(2 * math.pi * v), radius * math.sin(2 * math.pi * v)]
    return out[:count]


def as_float(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def main():
    # The generator itself, against the known-answer file of Random123.
    assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    for title, seed, name, out, fan_in, kernel in [
        ("xavier", 0, "conv1.weight", 64, 3, 9),
        ("xavier", 7, "heads.0.weight", 5, 512, 1),
        ("kaiming", 0, "conv1.weight", 64, 3, 9),
    ]:
        fans = (fan_in + out) * kernel if title == "xavier" else out * kernel
        deviation = math.sqrt(2 / fans)
        values = [as_float(deviation * n) for n in normals(seed, name, 6)]
        print(title, seed, name, ", ".join(f"{v:.9g}" for v in (values[0], values[1], values[5])))


if __name__ == "__main__":
    main()
