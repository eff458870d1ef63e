"""Sources that the server pulls from or that push to it; tests start, kill and restart them."""

import os
import pathlib
import signal
import socket
import subprocess
import sys

from netlab.daemon import free_port

RTMP_SERVER = str(pathlib.Path(__file__).with_name("rtmp_far_end.py"))
RTSP_SERVER = str(pathlib.Path(__file__).with_name("rtsp_far_end.py"))


def clip_command(path, seconds=1, video=(), audio=("-c:a", "aac"), size="192x108", rate=25,
                 tone="sine=frequency=440:sample_rate=44100", more=()):
    """ffmpeg's command for a clip of its test picture, with audio unless `tone` is None."""
    command = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=s={size}:r={rate}"]
    if tone:
        command += ["-f", "lavfi", "-i", tone]
    command += [*more, "-t", str(seconds), "-c:v", "libx264", "-preset", "ultrafast", "-g", "25",
                "-pix_fmt", "yuv420p", *video]
    return [*command, *(audio if tone else ()), str(path)]


# Runs the command again whenever it ends, and ends it when the process ends that started this.
AGAIN = ["setpriv", "--pdeathsig", "KILL", "sh", "-c",
         'while :; do setpriv --pdeathsig KILL "$@"; sleep 0.1; done', "sh"]


class FarEnd:
    """Offers a source again and again, also to a server that reconnects. `uri` is the source's URI
    for the server."""

    def __init__(self, uri, command):
        self.uri = uri
        self._command = [*AGAIN, *(str(word) for word in command)]
        self._process = None

    def start(self):
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                         start_new_session=True)

    def kill(self):
        """Ends it without a goodbye, as a power cut would."""
        if self._process:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None


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


def rtmp(*clip):
    """Without a clip nobody publishes."""
    port = free_port()
    return FarEnd(f"rtmp://127.0.0.1:{port}/live/far", [sys.executable, RTMP_SERVER, port, *clip])


ALL = {"http": http, "rtmp": rtmp, "rtsp": rtsp, "srt": srt, "srt-listener": srt_listener, "udp": udp}
