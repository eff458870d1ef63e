"""Presets of x264 at the same rate: the quality that each one gains, and the CPU time that it takes, with the
settings of the product's encoder for live video. "auto:N" is effort N of encoder.preset = "auto".

The rate is low for the pictures, as on a bad link. SSIM is that of the luma in dB, -10 lg(1 - SSIM): 1 dB is
a fifth less error. ffmpeg draws the built-in clips; --file adds films."""

import argparse
import json
import math
import subprocess
from dataclasses import dataclass

from bench.tools import bench_tool

FPS = 30


@dataclass(frozen=True)
class Clip:
    name: str
    source: tuple  # of ffmpeg
    width: int
    height: int
    rate: int  # bit/s


# A zoom, and many small moving parts.
BUILT_IN = (
    Clip("mandelbrot", ("-f", "lavfi", "-i", f"mandelbrot=size=1280x720:rate={FPS}"), 1280, 720, 800_000),
    Clip("life", ("-f", "lavfi", "-i", f"life=size=640x360:mold=10:rate={FPS}:ratio=0.1:death_color=#C83232:"
                                       "life_color=#00ff00,format=yuv420p,gblur=1"), 640, 360, 800_000))
PRESETS = ("superfast", "veryfast", "faster", "fast", "medium", "slow")
EFFORTS = tuple(f"auto:{effort}" for effort in range(4))


def measure(clip, seconds, presets):
    """[{preset, rate, ssim, ms, ms_most}]"""
    pictures = subprocess.Popen(
        ["ffmpeg", "-v", "error", *clip.source, "-t", str(seconds), "-vf", f"scale={clip.width}:{clip.height}",
         "-r", str(FPS), "-pix_fmt", "yuv420p", "-f", "rawvideo", "-"], stdout=subprocess.PIPE)
    output = subprocess.run([bench_tool("preset_quality"), str(clip.width), str(clip.height), str(FPS),
                             str(clip.rate), *presets], stdin=pictures.stdout, stdout=subprocess.PIPE, check=True)
    pictures.wait()
    return [json.loads(line) for line in output.stdout.splitlines()]


def decibels(ssim):
    return -10 * math.log10(1 - ssim)


def print_clip(clip, results):
    print(f"\n# {clip.name}, {clip.width}x{clip.height}, {clip.rate / 1000:.0f} kbit/s\n"
          f"{'preset':<11}{'kbit/s':>8}{'SSIM dB':>9}{'gain':>7}{'ms':>8}{'cost':>6}{'ms max':>8}")
    base = next(result for result in results if result["preset"] == "veryfast")
    for r in results:
        print(f"{r['preset']:<11}{r['rate'] / 1000:8.0f}{decibels(r['ssim']):9.2f}"
              f"{decibels(r['ssim']) - decibels(base['ssim']):7.2f}{r['ms']:8.2f}{r['ms'] / base['ms']:6.2f}"
              f"{r['ms_most']:8.2f}", flush=True)


def clip_of(text):
    """Of FILE:WIDTHxHEIGHT:RATE."""
    path, size, rate = text.rsplit(":", 2)
    width, height = map(int, size.split("x"))
    return Clip(path.rsplit("/", 1)[-1], ("-i", path), width, height, int(rate))


def main():
    parser = argparse.ArgumentParser(prog="presets", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=6, help="of each clip [%(default)s]")
    parser.add_argument("--file", nargs="+", type=clip_of, default=[], metavar="FILE:WIDTHxHEIGHT:RATE",
                        help="films, with the size and the rate (bit/s) to encode them with")
    options = parser.parse_args()
    for clip in (*BUILT_IN, *options.file):
        print_clip(clip, measure(clip, options.seconds, (*PRESETS, *EFFORTS)))


main()
