#!/usr/bin/env python3
"""Makes the .pth files of pth_test.cpp: run it with any Python that has torch, in this folder.

    ./make_pth.py                           the files in this folder
    ./make_pth.py OLD.safetensors NEW.pth   the same weights as PyTorch saves them, for a check with real ones

The committed files were made with torch 1.13.1 (Debian's python3-torch). Values are counted up, so that the test can say
what must come out without reading another file.
"""

import collections
import json
import os
import sys
import zipfile

import torch
from torch import nn


def net():
    """A convolution [2, 1, 3, 3] and its batch norm, with every value known."""
    made = nn.Sequential(collections.OrderedDict(conv1=nn.Conv2d(1, 2, 3, bias=False), bn1=nn.BatchNorm2d(2)))
    state = made.state_dict()
    state["conv1.weight"].copy_(torch.arange(18.0).reshape(2, 1, 3, 3))
    state["bn1.weight"].copy_(torch.tensor([1.5, 2.5]))
    state["bn1.running_var"].copy_(torch.tensor([3.0, 4.0]))
    state["bn1.num_batches_tracked"].fill_(7)
    return made


class Evil:
    def __reduce__(self):
        return os.system, ("touch lethe_ran_a_pickle",)


def with_records(source, target, records):
    """The same archive with more records."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info))
        folder = old.namelist()[0].split("/")[0]
        for name, content in records.items():
            new.writestr(f"{folder}/{name}", content)


def convert(source, target):
    types = {"F16": torch.float16, "F32": torch.float32, "I64": torch.int64}
    with open(source, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = bytearray(file.read())
    state = collections.OrderedDict()
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        state[name] = torch.frombuffer(data[begin:end], dtype=types[entry["dtype"]]).reshape(entry["shape"])
    torch.save(state, target)


def main():
    torch.save(net().state_dict(), "plain.pth")
    torch.save(net().state_dict(keep_vars=True), "parameters.pth")
    torch.save(net(), "whole_module.pth")
    torch.save(net().state_dict(), "legacy.pth", _use_new_zipfile_serialization=False)
    torch.jit.script(net()).save("torchscript.pth")
    with_records("plain.pth", "big_endian.pth", {"byteorder": "big"})
    # What torch 2.x puts beside the same pickle.
    with_records("plain.pth", "new.pth", {"byteorder": "little", ".format_version": "1", ".storage_alignment": "64"})

    # As a training script leaves it: the optimiser's lists of one item, numbers of many sizes, None.
    wrapped = nn.DataParallel(net())
    optimiser = torch.optim.Adam(wrapped.parameters(), lr=0.1)
    wrapped.cpu()(torch.ones(1, 1, 4, 4)).sum().backward()
    optimiser.step()
    wrapped.load_state_dict({"module." + name: value for name, value in net().state_dict().items()})
    torch.save(
        {
            "epoch": 90,
            "seen": [2**40, -(2**40), -1, 300, 70000],
            "best": 76.15,
            "note": None,
            "state_dict": wrapped.state_dict(),
            "optimizer": optimiser.state_dict(),
        },
        "training.pth",
    )

    base = torch.arange(12.0)
    torch.save(
        {
            "middle": base[4:8],  # an offset
            "columns": base.reshape(3, 4).t(),  # strides
            "every_third": base[::3],
            "all": base,  # one storage for all of them
            "again": base,  # one tensor under two names
            "scalar": torch.tensor(5),
            "empty": torch.zeros(0, 3),
        },
        "views.pth",
    )
    torch.save(
        {
            "half": torch.tensor([0.5, -2.0], dtype=torch.float16),
            "bfloat16": torch.tensor([0.5, -2.0], dtype=torch.bfloat16),
            "double": torch.tensor([0.1], dtype=torch.float64),
            "bool": torch.tensor([True, False]),
            "byte": torch.tensor([255], dtype=torch.uint8),
        },
        "types.pth",
    )
    torch.save({"conv1.weight": torch.ones(1), "payload": Evil()}, "evil.pth")
    torch.save([torch.ones(1)], "list.pth")
    torch.save({"epoch": 3, "optimizer": {}}, "no_tensors.pth")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        convert(sys.argv[1], sys.argv[2])
    else:
        main()
