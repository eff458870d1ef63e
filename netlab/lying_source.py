#!/usr/bin/env python3
"""A source that lies: HTTP and RTSP servers each of whose addresses does something that no good source does.

    python3 -m netlab.lying_source list               # each case, and what it does
    python3 -m netlab.lying_source make DIR           # the media that it needs, with ffmpeg, once
    python3 -m netlab.lying_source serve --media DIR  # prints the URI of each case, and serves them

    symcast serve --source good=test:?size=320x180 --source bad=http://127.0.0.1:22900/hugepl.m3u8"""

import argparse
import functools
import pathlib
import random
import signal

from netlab.lying_cases import CASES, endless
from netlab.lying_media import GOOD, SECRET, TYPES, make_media
from netlab.lying_server import LyingServer, RtspRedirect, RtspServer

FILES = {
    "bomb.png": "a PNG of 16000x16000", "bomb2.png": "a grey PNG of 30000x30000", "bomb3.png": "a PNG of 40000x30000",
    "bomb.jpg": "a JPEG of 65500x65500 by its header", "big16k.ts": "honest H.264 of 16384x8192",
    "resize.h264": "H.264 with a new size every three pictures", "resize.ts": "a new size every 200 ms",
}
RTSP = {
    "rtspnever": "no response to OPTIONS",
    "rtspgarbage": "random bytes as the response",
    "rtspredirect": "a redirection to itself",
    "rtspheader": "a head that never ends",
    "rtspline": "a head of one line that never ends",
    "rtspdata": "media packets without end instead of an answer",
    "rtspasks": "requests of its own without end instead of an answer",
    "rtspbody": "a description of 4 GB (Content-Length: 4000000000, then zeros)",
    "rtspredirfile": "a redirection to a URI file:///",
}


def descriptions():
    """{case: description}"""
    return {path[1:]: what for path, (what, _) in CASES.items()} | FILES | RTSP


class Endless:
    """For endless() over RTSP."""

    def __init__(self, connection):
        self.write = connection.sendall


def rtsp_nothing(*_):
    pass


def rtsp_garbage(connection, _):
    connection.sendall(random.randbytes(100_000))


def rtsp_head(connection, _):
    connection.sendall(b"RTSP/1.0 200 OK\r\n")
    endless(Endless(connection), (b"X: " + b"a" * 1000 + b"\r\n") * 1000)


def rtsp_line(connection, _):
    connection.sendall(b"RTSP/1.0 200 OK\r\nX: ")
    endless(Endless(connection), b"a" * (1 << 20))


def rtsp_data(connection, _):
    endless(Endless(connection), (b"$\0\0\x10\x80\x60" + bytes(14)) * 5000)


def rtsp_requests(connection, _):
    endless(Endless(connection), b"OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n" * 5000)


def rtsp_body(connection, number):
    connection.sendall(b"RTSP/1.0 200 OK\r\nCSeq: %b\r\nContent-Type: application/sdp\r\n"
                       b"Content-Length: 4000000000\r\n\r\n" % number)
    endless(Endless(connection), bytes(1 << 20))


class LyingSource(LyingServer):
    """Serves all cases. `folder` has the files of make_media(). `secret`: a file that no source may show."""

    def __init__(self, folder, port=0, secret=None):
        self.folder, self.secret = folder.resolve(), (secret or folder / SECRET).resolve()
        self._rtsp = {"rtspnever": RtspServer(rtsp_nothing), "rtspgarbage": RtspServer(rtsp_garbage),
                      "rtspredirect": RtspRedirect(), "rtspheader": RtspServer(rtsp_head),
                      "rtspline": RtspServer(rtsp_line), "rtspdata": RtspServer(rtsp_data),
                      "rtspasks": RtspServer(rtsp_requests), "rtspbody": RtspServer(rtsp_body),
                      "rtspredirfile": RtspRedirect(self.secret.as_uri())}
        super().__init__(port)
        self.behaviours |= {path: function for path, (_, function) in CASES.items()}
        self.behaviours |= {f"/f/{name}": functools.partial(self._serve_file, name) for name in FILES}
        for path in ("/internal.ts", "/internal_key"):
            self.behaviours[path] = functools.partial(self._serve_file, GOOD)
        self.behaviours["/hits"] = self._serve_hits

    @property
    def inner(self):
        """The URI of an RTSP server that no HTTP source may name."""
        return self._rtsp["rtspnever"].uri

    @functools.cache
    def media(self, name):
        return (self.folder / name).read_bytes()

    def uris(self):
        """{case: URI}"""
        return {path[1:]: self.url(path) for path in CASES} | {name: self.url(f"/f/{name}") for name in FILES} | \
            {name: server.uri for name, server in self._rtsp.items()}

    def _serve_file(self, name, reply):
        reply.whole(TYPES[name.rsplit(".", 1)[1]], self.media(name))

    def _serve_hits(self, reply):
        hits = dict(self.asked) | {name: server.requests for name, server in self._rtsp.items()}
        reply.whole("text/plain", "".join(f"{name} {count}\n" for name, count in sorted(hits.items())))


def main():
    parser = argparse.ArgumentParser(prog="lying_source", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(dest="mode", required=True)
    modes.add_parser("list", help="prints each case and what it does")
    modes.add_parser("make", help="makes the media").add_argument("folder", type=pathlib.Path)
    serve = modes.add_parser("serve", help="serves until it is ended; /hits has the number of requests for each path")
    serve.add_argument("--media", type=pathlib.Path, required=True, help="the folder of `make`")
    serve.add_argument("--port", type=int, default=22900, help="of HTTP; 0 means any [%(default)s]")
    serve.add_argument("--secret", type=pathlib.Path, help="a file that no source may show")
    options = parser.parse_args()
    if options.mode == "list":
        for name, what in descriptions().items():
            print(f"{name:18} {what}")
    elif options.mode == "make":
        make_media(options.folder)
    else:
        source = LyingSource(options.media, options.port, options.secret)
        for name, uri in source.uris().items():
            print(name, uri)
        print(flush=True)
        signal.pause()


if __name__ == "__main__":
    main()
