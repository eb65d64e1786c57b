#!/usr/bin/env python3
"""Writes mat_file_golden.inc: a compressed MATLAB file like those in Stanford Cars' devkit, for mat_file_test.cpp.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install scipy && /tmp/venv/bin/python lethe/data/mat_file_golden.py

Uses SciPy, because matio's compressed cell arrays differ from those of MATLAB. The strings are as long, and the numbers
of the same types, as in the official files.
"""
import io
import pathlib

import numpy
import scipy.io

names = numpy.empty((1, 3), dtype=object)
names[0, :] = ["AM General Hummer SUV 2000", "Acura RL Sedan 2012", "Ram C/V Cargo Van Minivan 2012"]
kinds = [(key, object) for key in ("bbox_x1", "class", "fname")]
annotations = numpy.empty((1, 2), dtype=kinds)
annotations[0, 0] = (numpy.uint8(39), numpy.uint8(3), "00001.jpg")
annotations[0, 1] = (numpy.uint16(1036), numpy.float64(196), "00002.jpg")
file = io.BytesIO()
scipy.io.savemat(file, {"class_names": names, "annotations": annotations}, do_compression=True)
data = bytearray(file.getvalue())
data[:116] = b"lethe".ljust(116)  # the header contains platform and date
lines = [", ".join(str(byte) for byte in data[i : i + 24]) + "," for i in range(0, len(data), 24)]
pathlib.Path(__file__).with_name("mat_file_golden.inc").write_text("\n".join(lines) + "\n")
