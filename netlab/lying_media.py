"""Media whose headers promise more than a source may have, and good media for sources that lie otherwise. Needs
ffmpeg."""

import os
import struct
import subprocess
import zlib

X264 = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
GOOD = "ok.ts"  # 20 s
GOOD_SECONDS = 20
SECRET = "secret.ts"  # a file that no source may show: red in a green frame
TYPES = {"jpg": "image/jpeg", "png": "image/png", "ts": "video/mp2t", "mp4": "video/mp4", "h264": "video/h264"}


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True)


def make_png(path, width, height, grey=False):
    """A black picture: few bytes on the wire, width x height x 3 of memory, or a third of that."""
    packer = zlib.compressobj(9)
    row = bytes(1 + width * (1 if grey else 3))
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0 if grey else 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def make_pictures(folder):
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x64", "-frames:v", 1, folder / "small.jpg")
    jpeg = bytearray((folder / "small.jpg").read_bytes())
    at = jpeg.find(b"\xff\xc0")  # SOF0: length, precision, height, width
    jpeg[at + 5:at + 9] = struct.pack(">HH", 65500, 65500)
    (folder / "bomb.jpg").write_bytes(jpeg)
    make_png(folder / "bomb.png", 16000, 16000)
    make_png(folder / "bomb2.png", 30000, 30000, grey=True)
    make_png(folder / "bomb3.png", 40000, 30000)


def make_resizing(folder):
    """H.264 with a new size every three pictures, and MPEG-TS with a new one every 200 ms."""
    sizes, ladder, one = b"", b"", folder / "one"
    for i in range(1, 41):
        width, height = 64 + i * 7919 % 1800 // 2 * 2, 64 + i * 104729 % 1000 // 2 * 2
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={width}x{height}:r=25", "-frames:v", 3, *X264, "-f", "h264", one)
        sizes += one.read_bytes()
    for i in range(50):
        width, height = 160 + 64 * (i * 7 % 17), 96 + 32 * (i * 5 % 13)
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={width}x{height}:r=25", "-frames:v", 5, *X264, "-bf", 0,
               "-muxdelay", 0, "-output_ts_offset", 1 + i * 0.2, "-f", "mpegts", one)
        ladder += one.read_bytes()
    (folder / "resize.h264").write_bytes(sizes)
    (folder / "resize.ts").write_bytes(ladder)
    one.unlink()


def make_media(folder):
    """Writes all files, in half a minute."""
    folder.mkdir(parents=True, exist_ok=True)
    gop = ("-g", 25, "-bf", 0)
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=320x180:r=25", "-f", "lavfi", "-i", "sine=f=440:r=48000",
           "-t", GOOD_SECONDS, *X264, *gop, "-c:a", "aac", "-f", "mpegts", folder / GOOD)
    ffmpeg("-i", folder / GOOD, "-c", "copy", "-movflags", "+faststart", folder / "ok.mp4")
    ffmpeg("-f", "lavfi", "-i", "color=c=red:s=320x180:r=25", "-t", 20, "-vf", "drawbox=t=20:color=lime", *X264,
           *gop, "-f", "mpegts", folder / SECRET)
    ffmpeg("-f", "lavfi", "-i", "color=c=gray:s=16384x8192:r=25", "-frames:v", 6, *X264,
           "-x264-params", "keyint=1:threads=1", "-f", "mpegts", folder / "big16k.ts")
    make_pictures(folder)
    make_resizing(folder)


def made_media(folder):
    """The folder with all files, which are made if it does not exist."""
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}-{os.getpid()}")
        make_media(unfinished)
        unfinished.rename(folder)
    return folder
