"""Sources that the server pulls from or that push to it; tests start, kill and restart them."""

import pathlib
import signal
import socket
import subprocess
import sys

from netlab.daemon import free_port

RTSP_SERVER = str(pathlib.Path(__file__).with_name("rtsp_far_end.py"))


def make_clip(path, seconds=5, video=(), audio=("-c:a", "aac"), size="320x180", rate=25,
              tone="sine=frequency=440:sample_rate=44100", more=()):
    """A clip of ffmpeg's test picture, with audio unless `tone` is None."""
    command = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=s={size}:r={rate}"]
    if tone:
        command += ["-f", "lavfi", "-i", tone]
    command += [*more, "-t", str(seconds), "-c:v", "libx264", "-preset", "ultrafast", "-g", "25",
                "-pix_fmt", "yuv420p", *video]
    subprocess.run([*command, *(audio if tone else ()), str(path)], check=True)
    return path


class FarEnd:
    """One process that offers a source. `uri` is the source's URI for the server."""

    def __init__(self, uri, command):
        self.uri = uri
        self._command = [str(word) for word in command]
        self._process = None

    def start(self):
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self):
        """Ends the process without a goodbye, as a power cut would."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()


def looped(clip, *output):
    """ffmpeg playing `clip` for ever, in real time, without encoding it again."""
    return ["ffmpeg", "-v", "error", "-re", "-stream_loop", "-1", "-i", clip, "-c", "copy",
            "-f", "mpegts", *output]


def http(clip):
    uri = f"http://127.0.0.1:{free_port()}/far.ts"
    return FarEnd(uri, looped(clip, "-listen", "1", uri))


def srt(clip):
    """The server connects, the far end listens."""
    uri = f"srt://127.0.0.1:{free_port(socket.SOCK_DGRAM)}"
    return FarEnd(uri, looped(clip, f"{uri}?mode=listener"))


def srt_listener(clip):
    """The server listens, the far end connects."""
    port = free_port(socket.SOCK_DGRAM)
    return FarEnd(f"srt://:{port}?mode=listener",
                  looped(clip, f"srt://127.0.0.1:{port}?mode=caller"))


def udp(clip):
    uri = f"udp://127.0.0.1:{free_port(socket.SOCK_DGRAM)}"
    return FarEnd(uri, looped(clip, f"{uri}?pkt_size=1316"))


def rtsp(_clip):
    port = free_port()
    return FarEnd(f"rtsp://127.0.0.1:{port}/far", [sys.executable, RTSP_SERVER, str(port)])


ALL = {"http": http, "rtsp": rtsp, "srt": srt, "srt-listener": srt_listener, "udp": udp}
