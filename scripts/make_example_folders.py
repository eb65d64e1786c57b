#!/usr/bin/env python3
"""Writes six folders of images like those that a user might have: small and larger, grey and colour, drawings and photographs.

    scripts/make_example_folders.py --shared /data --out /tmp/folders

    shapes         6 drawn shapes x 100, colour, 64 x 64; no test split
    clothes_small  6 classes of Fashion-MNIST x 100 (+ 50 to test), grey, 28 x 28
    clothes        10 classes of Fashion-MNIST x 1,000 (+ 200 to test), grey, 28 x 28
    things_small   6 classes of CIFAR-100 x 250 (+ 50 to test), colour, 32 x 32
    photos         birds (CUB-200-2011), cars (Stanford Cars), cats and sheep (Pascal VOC) x 220, of mixed sizes; no
                   test split
    things         20 classes of CIFAR-100 x 250 (+ 50 to test), colour, 32 x 32

The suite `defaults` trains on them (docs/results/defaults.md). --shared is the folder with cifar-100-binary/, CUB_200_2011/,
stanford_cars/, VOCdevkit/ and voc_classes/. A folder whose source is missing is skipped; Fashion-MNIST comes from the
Debian package dataset-fashion-mnist. The output is always the same. Needs Pillow and numpy.
"""

import argparse
import colorsys
import gzip
import math
import random
import shutil
import sys
from pathlib import Path

try:
    import numpy as np
    from PIL import Image, ImageDraw, ImageFilter
except ImportError as error:
    sys.exit(f"make_example_folders.py: {error}; on Debian: apt-get install python3-pil python3-numpy")

CLOTHES = ["t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"]
CLOTHES_SMALL = ["t-shirt", "trouser", "pullover", "sandal", "bag", "ankle boot"]

THINGS_SMALL = ["apple", "bicycle", "cloud", "pine_tree", "sunflower", "telephone"]
THINGS = THINGS_SMALL + ["aquarium_fish", "bottle", "castle", "chair", "dinosaur", "keyboard", "leopard", "motorcycle",
                         "orange", "plate", "sea", "skyscraper", "tank", "wardrobe"]

VOC_IDS = {"cat": 8, "sheep": 17}


class Missing(Exception):
    """A missing source; the text names it."""


def require(path):
    if not path.exists():
        raise Missing(f"{path} does not exist")
    return path


# --- drawn shapes ---


def star_points(centre, radius, turn, points, inner):
    corners = []
    for i in range(2 * points):
        length = radius if i % 2 == 0 else radius * inner
        angle = turn + math.pi * i / points
        corners.append((centre[0] + length * math.cos(angle), centre[1] + length * math.sin(angle)))
    return corners


def polygon_points(centre, radius, turn, corners):
    return [(centre[0] + radius * math.cos(turn + 2 * math.pi * i / corners),
             centre[1] + radius * math.sin(turn + 2 * math.pi * i / corners)) for i in range(corners)]


def cross_points(centre, radius, turn):
    thin = 0.3
    outline = [(-thin, -1), (thin, -1), (thin, -thin), (1, -thin), (1, thin), (thin, thin),
               (thin, 1), (-thin, 1), (-thin, thin), (-1, thin), (-1, -thin), (-thin, -thin)]
    cos, sin = radius * math.cos(turn), radius * math.sin(turn)
    return [(centre[0] + x * cos - y * sin, centre[1] + x * sin + y * cos) for x, y in outline]


def draw_disc(pen, centre, radius, turn, colour):
    del turn
    pen.ellipse([centre[0] - radius, centre[1] - radius, centre[0] + radius, centre[1] + radius], fill=colour)


def draw_ring(pen, centre, radius, turn, colour):
    del turn
    box = [centre[0] - radius, centre[1] - radius, centre[0] + radius, centre[1] + radius]
    pen.ellipse(box, outline=colour, width=max(1, round(0.3 * radius)))


SHAPES = {
    "cross": lambda pen, at, r, turn, colour: pen.polygon(cross_points(at, r, turn), fill=colour),
    "disc": draw_disc,
    "ring": draw_ring,
    "square": lambda pen, at, r, turn, colour: pen.polygon(polygon_points(at, r, turn, 4), fill=colour),
    "star": lambda pen, at, r, turn, colour: pen.polygon(star_points(at, r, turn, 5, 0.4), fill=colour),
    "triangle": lambda pen, at, r, turn, colour: pen.polygon(polygon_points(at, r, turn, 3), fill=colour),
}


def colours(rng):
    """A dark background and a bright figure of random colours, independent of the class."""
    ground = tuple(rng.randrange(90) for _ in range(3))
    hue, saturation = rng.random(), rng.uniform(0.2, 0.8)
    figure = tuple(round(255 * value) for value in colorsys.hsv_to_rgb(hue, saturation, rng.uniform(0.85, 1.0)))
    return ground, figure


def drawn(shape, number, side=64):
    rng = random.Random(f"{shape} {number}")
    ground, figure = colours(rng)
    scale = 4  # drawn larger, then reduced, for smooth edges
    picture = Image.new("RGB", (scale * side, scale * side), ground)
    radius = rng.uniform(0.22, 0.40) * side
    centre = [scale * rng.uniform(radius, side - radius) for _ in range(2)]
    SHAPES[shape](ImageDraw.Draw(picture), centre, scale * radius, rng.uniform(0, 2 * math.pi), figure)
    picture = picture.resize((side, side), Image.LANCZOS).filter(ImageFilter.GaussianBlur(rng.uniform(0, 1)))
    noise = np.random.default_rng(rng.randrange(2**32)).normal(0, 10, (side, side, 3))
    return Image.fromarray(np.clip(np.asarray(picture, dtype=np.float64) + noise, 0, 255).astype(np.uint8))


def make_shapes(args, out):
    for shape in SHAPES:
        for number in range(100):
            save(drawn(shape, number), out / shape / f"{number:04d}.png")


# --- Fashion-MNIST ---


def read_idx(path, header):
    with gzip.open(require(path)) as file:
        return np.frombuffer(file.read(), dtype=np.uint8, offset=header)


def clothes_part(args, part):
    images = read_idx(args.clothes / f"{part}-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28)
    return images, read_idx(args.clothes / f"{part}-labels-idx1-ubyte.gz", 8)


def make_clothes_of(args, out, names, train, test):
    for folder, part, count in (("train", "train", train), ("test", "t10k", test)):
        images, labels = clothes_part(args, part)
        for name in names:
            chosen = np.flatnonzero(labels == CLOTHES.index(name))[:count]
            for number, index in enumerate(chosen):
                save(Image.fromarray(images[index]), out / folder / name / f"{number:04d}.png")


def make_clothes_small(args, out):
    make_clothes_of(args, out, CLOTHES_SMALL, 100, 50)


def make_clothes(args, out):
    make_clothes_of(args, out, CLOTHES, 1000, 200)


# --- CIFAR-100 ---


def make_things_of(args, out, names):
    folder = args.shared / "cifar-100-binary"
    known = require(folder / "fine_label_names.txt").read_text().split()
    for part, count in (("train", 250), ("test", 50)):
        records = np.frombuffer(require(folder / f"{part}.bin").read_bytes(), dtype=np.uint8).reshape(-1, 2 + 3072)
        for name in names:
            chosen = records[records[:, 1] == known.index(name)][:count]
            for number, record in enumerate(chosen):
                pixels = record[2:].reshape(3, 32, 32).transpose(1, 2, 0)
                save(Image.fromarray(np.ascontiguousarray(pixels)), out / part / name / f"{number:04d}.png")


def make_things_small(args, out):
    make_things_of(args, out, THINGS_SMALL)


def make_things(args, out):
    make_things_of(args, out, THINGS)


# --- photographs ---


def evenly(values, count):
    count = min(count, len(values))
    return [values[i * len(values) // count] for i in range(count)]


def voc_photos(shared, name):
    """Photographs with this class and no other."""
    folder = require(shared / "VOCdevkit" / "VOC2012" / "JPEGImages")
    chosen = []
    for part in ("train_aug", "val"):
        for line in require(shared / "voc_classes" / f"{part}.txt").read_text().splitlines():
            image, *ids = line.split()
            path = folder / f"{image}.jpg"
            if ids == [str(VOC_IDS[name])] and path.exists():
                chosen.append(path)
    return sorted(chosen)


def make_photos(args, out):
    sources = {
        "bird": sorted(require(args.shared / "CUB_200_2011" / "images").glob("*/*.jpg")),
        "car": sorted(require(args.shared / "stanford_cars" / "cars_train").glob("*.jpg")),
        "cat": voc_photos(args.shared, "cat"),
        "sheep": voc_photos(args.shared, "sheep"),
    }
    for name, paths in sources.items():
        (out / name).mkdir(parents=True, exist_ok=True)
        for number, path in enumerate(evenly(paths, 220)):
            shutil.copyfile(path, out / name / f"{number:04d}.jpg")


# --- all ---

FOLDERS = {
    "shapes": make_shapes,
    "clothes_small": make_clothes_small,
    "clothes": make_clothes,
    "things_small": make_things_small,
    "photos": make_photos,
    "things": make_things,
}


def save(image, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)


def counts(folder):
    """For example "600 images of 6 classes"; train and test are counted separately."""
    parts = [folder / "train", folder / "test"] if (folder / "train").is_dir() else [folder]
    texts = []
    for part in parts:
        classes = [entry for entry in part.iterdir() if entry.is_dir()]
        images = sum(len(list(entry.iterdir())) for entry in classes)
        label = f"{part.name}: " if part != folder else ""
        texts.append(f"{label}{images} images of {len(classes)} classes")
    return ", ".join(texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, required=True, metavar="DIR", help="folder of the public datasets")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the six folders")
    parser.add_argument("--clothes", type=Path, metavar="DIR", default=Path("/usr/share/datasets/fashion-mnist"),
                        help="the idx files of Fashion-MNIST [%(default)s]")
    args = parser.parse_args()
    for name, make in FOLDERS.items():
        folder = args.out / name
        if folder.exists():
            print(f"{name}: skipped, {folder} exists")
            continue
        # Written under another name first, so that an interrupted call leaves no partial folder.
        partial = args.out / f".{name}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        try:
            make(args, partial)
        except Missing as missing:
            shutil.rmtree(partial, ignore_errors=True)
            print(f"{name}: skipped, {missing}")
            continue
        partial.rename(folder)
        print(f"{name}: {counts(folder)} in {folder}")


if __name__ == "__main__":
    main()
