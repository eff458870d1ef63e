"""The cost of a source in a process of its own, beside the same one in the server's process: CPU time for
each picture, delay of the pictures behind their time, and time until the first one.

A file plays in both ways in turn. The difference includes the copy of each picture into shared memory."""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

from bench.tools import bench_tool
from netlab.daemon import binary

FORMATS = {"720p30": (1280, 720, 30), "1080p60": (1920, 1080, 60)}


def make_clip(path, width, height, fps):
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s={width}x{height}:r={fps}",
                    "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000", "-t", "10", "-c:v", "libx264",
                    "-preset", "veryfast", "-g", str(fps), "-pix_fmt", "yuv420p", "-c:a", "aac", str(path)],
                   check=True)


def play(mode, clip, width, height, fps, seconds):
    program = pathlib.Path(binary()).with_name("symcast-ingest")
    output = subprocess.run([bench_tool("play_source"), mode, program, f"file:{clip}", str(width), str(height),
                             str(fps), str(seconds)], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(output)


def median(runs, key):
    return statistics.median(run[key] for run in runs)


def main():
    parser = argparse.ArgumentParser(prog="ingest", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=30, help="of each run")
    options = parser.parse_args()
    print(f"{'source':8} {'process':8} {'first ms':>9} {'late p50 ms':>12} {'p99 ms':>7} {'µs/picture':>11} "
          f"{'% of a CPU':>10} {'dropped':>8}")
    for name, (width, height, fps) in FORMATS.items():
        with tempfile.TemporaryDirectory() as folder:
            clip = pathlib.Path(folder) / "clip.mp4"
            make_clip(clip, width, height, fps)
            runs = {"in": [], "out": []}
            for _ in range(options.runs):
                for mode, done in runs.items():
                    done.append(play(mode, clip, width, height, fps, options.seconds))
        per_picture = {}
        for mode, done in runs.items():
            per_picture[mode] = statistics.median(1e6 * run["cpu_s"] / run["pictures"] for run in done)
            print(f"{name:8} {'server' if mode == 'in' else 'own':8} {median(done, 'first_ms'):9.0f} "
                  f"{median(done, 'p50_ms'):12.2f} {median(done, 'p99_ms'):7.2f} {per_picture[mode]:11.0f} "
                  f"{per_picture[mode] * fps / 1e4:10.1f} {sum(run['dropped'] for run in done):8}")
        more = per_picture["out"] - per_picture["in"]
        size = width * height * 1.5
        print(f"{name:8} {'more':8} {median(runs['out'], 'first_ms') - median(runs['in'], 'first_ms'):9.0f} "
              f"{median(runs['out'], 'p50_ms') - median(runs['in'], 'p50_ms'):12.2f} "
              f"{median(runs['out'], 'p99_ms') - median(runs['in'], 'p99_ms'):7.2f} {more:11.0f} "
              f"{100 * more / per_picture['in']:9.1f}% {size * fps / 1e6:6.0f} MB/s")


main()
