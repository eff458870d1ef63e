"""The quality of a viewer's pictures by the size in which they are encoded.

"sizes rules" takes the rates of simulated viewers over links drawn at random (tests/sim/family.h), on which the
rate asks for full pictures at times and for smaller ones at others, and compares the product's rule with
pictures that stay full and with those that change as the rate asks. "sizes points" compares sizes and frame
rates at low fixed rates.

SSIM is that of the luma at full size in dB, -10 lg(1 - SSIM): 1 dB is a fifth less error. It counts by the
second of the screen: the mean, and that which one second in ten falls short of. ffmpeg draws the clips."""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.tools import bench_tool

SIZE = (1280, 720)
FPS = 30
# A zoom with noise, and many small moving parts.
CLIPS = {"mandelbrot": f"mandelbrot=size=1280x720:rate={FPS},noise=alls=6:allf=t",
         "life": f"life=size=640x360:mold=10:rate={FPS}:ratio=0.1:death_color=#C83232:life_color=#00ff00,"
                 "format=yuv420p,gblur=1"}
RULES = ("full", "at-once", "product")
POINTS = ("1x1", "0.5x1", "0.3333x1", "0.3333x2", "0.25x1", "0.25x2", "0.25x4")
RATES = (30, 50, 75, 100, 150, 250)  # kbit/s
FIRST_REPORTED_SEED = 1_000_000  # tests/sim/family.h
SETTLING = 3  # seconds that do not count


def draw(clip, seconds, path):
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", CLIPS[clip], "-t", str(seconds), "-vf",
                    f"scale={SIZE[0]}:{SIZE[1]}", "-pix_fmt", "yuv420p", "-f", "rawvideo", path], check=True,
                   stdin=subprocess.DEVNULL)


def measure(pictures, rates, rules):
    """{rule: {ssim: [of each second, dB], encoders}}, or {} if the link's rate says nothing about sizes."""
    with open(pictures, "rb") as file:
        output = subprocess.run([bench_tool("scaled_quality"), *map(str, SIZE), str(FPS), rates, *rules],
                                stdin=file, stdout=subprocess.PIPE, check=True).stdout
    results = [json.loads(line) for line in output.splitlines()]
    return {r["rule"]: {**r, "ssim": [-10 * math.log10(max(1e-9, 1 - x)) for x in r["ssim"][SETTLING:]]}
            for r in results}


def mean(values):
    return sum(values) / len(values)


def low(values):
    return sorted(values)[len(values) // 10]


def print_rules(pictures, count, first):
    heads = "".join(f"{rule:>24}" for rule in RULES)
    print(f"{'':<19}{heads}\n{'link':<19}" + "     mean  low  encoders" * len(RULES))
    sums = {rule: [] for rule in RULES}
    for clip, path in pictures.items():
        seed = first
        found = 0
        while found < count:
            results = measure(path, f"link:{seed}", RULES)
            if results:
                found += 1
                line = ""
                for rule in RULES:
                    r = results[rule]
                    figures = (mean(r["ssim"]), low(r["ssim"]), r["encoders"])
                    sums[rule].append(figures)
                    line += f"{figures[0]:9.2f}{figures[1]:6.2f}{figures[2]:9d}"
                print(f"{clip:<11}{seed:>8}{line}", flush=True)
            seed += 1
    total = "".join(f"{mean(m):9.2f}{mean(lows):6.2f}{mean(e):9.1f}"
                    for m, lows, e in (zip(*sums[rule], strict=True) for rule in RULES))
    print(f"{'all':<19}{total}")


def print_points(pictures):
    print(f"{'kbit/s':<19}" + "".join(f"{point:>10}" for point in POINTS))
    for clip, path in pictures.items():
        for rate in RATES:
            results = measure(path, f"fixed:{rate}", POINTS)
            print(f"{clip:<11}{rate:>8}" + "".join(f"{mean(results[p]['ssim']):10.2f}" for p in POINTS), flush=True)


def main():
    parser = argparse.ArgumentParser(prog="sizes", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=("rules", "points"))
    parser.add_argument("--links", type=int, default=6, help="for each clip [%(default)s]")
    parser.add_argument("--tuning", action="store_true", help="links for making rules, not for reports")
    options = parser.parse_args()
    seconds = 40 if options.table == "rules" else 10
    with tempfile.TemporaryDirectory() as directory:
        pictures = {clip: Path(directory) / clip for clip in CLIPS}
        for clip, path in pictures.items():
            draw(clip, seconds, path)
        if options.table == "rules":
            print_rules(pictures, options.links, 1 if options.tuning else FIRST_REPORTED_SEED)
        else:
            print_points(pictures)


sys.exit(main())
