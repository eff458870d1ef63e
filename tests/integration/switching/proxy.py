"""Forced changes of group in HLS and DASH: a proxy between a player and a real server, which by itself
changes a session's group only when its path changes.

    player ── auto/N.m4s ─> SwitchingProxy ── v(N % k)/N.m4s ─> k sessions, each at its own rate

Every segment comes from a different encoder than the one before it, at another rate and usually with
another frame size. A segment's parts and playlist lines come from the same encoder; audio, manifest
and multivariant playlist pass through."""

import collections
import dataclasses
import http.client
import http.server
import re
import threading

from netlab import mp4_boxes
from tests.integration.segment_requests import Rungs

VIDEO_TIMESCALE = 90_000  # per second
KEPT_ALIVE = 1  # seconds between requests: sessions end after ten seconds without one
PASSED_ON = ["Content-Type", "Cache-Control", "CMSD-Dynamic", "Access-Control-Allow-Origin"]
HEAD = ("#EXTM3U", "#EXT-X-VERSION", "#EXT-X-TARGETDURATION", "#EXT-X-SERVER-CONTROL",
        "#EXT-X-PART-INF")
MEDIA = re.compile(r"/(?P<stream>\w+)/(?P<session>[0-9a-f]{16})/auto/"
                   r"(?P<name>(?P<number>\d+)(\.\d+)?\.m4s|init(-\d+)?\.mp4|playlist\.m3u8)$")


@dataclasses.dataclass
class Block:
    """The playlist lines of one segment, without EXT-X-MAP. `init` is the section that it needs."""

    lines: list = dataclasses.field(default_factory=list)
    init: str = None
    complete: bool = False


class Pieces:
    """A media playlist: `head`, `blocks` by number, the `hint`, and the `reports` after it."""

    def __init__(self, text):
        self.head, self.blocks, self.hint, self.reports = [], {}, None, []
        self.first = None
        self._init = None
        for line in text.splitlines():
            self._take(line)

    def _take(self, line):
        if line.startswith(HEAD):
            self.head.append(line)
        elif line.startswith("#EXT-X-MEDIA-SEQUENCE:"):
            self.first = self._number = int(line.split(":")[1])
        elif line.startswith("#EXT-X-PRELOAD-HINT"):
            self.hint = line
        elif line.startswith("#EXT-X-RENDITION-REPORT"):
            self.reports.append(line)
        elif line.startswith("#EXT-X-MAP"):
            self._init = line
        else:
            self._take_of_segment(line)

    def _take_of_segment(self, line):
        block = self.blocks.setdefault(self._number, Block(init=self._init))
        block.lines.append(line)
        if not line.startswith("#"):
            block.complete = True
            self._number += 1


def merged(texts):
    """The playlist whose segment N comes from playlist N % k."""
    pieces = [Pieces(text) for text in texts]
    first = number = max(piece.first for piece in pieces)
    lines, init, block = [], None, Block(complete=True)
    while block.complete and (block := pieces[number % len(pieces)].blocks.get(number)):
        if block.init != init:
            lines.append(init := block.init)
        lines += block.lines
        number += block.complete
    hint = f'#EXT-X-PRELOAD-HINT:TYPE=PART,URI="{number}.0.m4s"'
    if block and not block.complete:
        hint = pieces[number % len(pieces)].hint
    head = [*pieces[0].head, f"#EXT-X-MEDIA-SEQUENCE:{first}"]
    return "\n".join([*head, *lines, hint, *pieces[0].reports, ""])


class SwitchingProxy:
    """Listens on `url` while the `with` block runs."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.rungs = Rungs(daemon)
        # Numbers of the video segments that players have requested, by session.
        self.served = collections.defaultdict(set)
        # {number of a segment: {name of a file: times of its frames}}, of what players have received.
        self.sent = collections.defaultdict(dict)
        self._sizes = {}  # by number
        self._stop = threading.Event()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.proxy = self
        self._threads = [threading.Thread(target=self._server.serve_forever),
                         threading.Thread(target=self._keep_alive)]
        self.url = f"http://127.0.0.1:{self._server.server_port}/live/"

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._server.shutdown()
        for thread in self._threads:
            thread.join()
        self._server.server_close()

    def count(self):
        """The number of rungs, and so of encoders between which segments change."""
        return len(self.rungs.players)

    def _keep_alive(self):
        while not self._stop.wait(KEPT_ALIVE):
            for rung in range(self.count()):
                for segment in self.rungs.playlist(rung).segments:
                    if segment.number % self.count() == rung and segment.number not in self._sizes:
                        self._sizes[segment.number] = self.rungs.size(rung, segment.init)

    def changes(self):
        """How often a player's next segment came from a different encoder: the most in one session."""
        return max(self.changes_by_session(), default=0)

    def changes_by_session(self):
        return [sum(number + 1 in numbers for number in numbers)
                for numbers in list(self.served.values())]

    def steps(self, rate):
        """Time from each frame to the next one in what players have received, in frames."""
        times = sorted({time for names in list(self.sent.values()) for file in list(names.values()) for time in file})
        return [rate * (after - before) / VIDEO_TIMESCALE for before, after in zip(times, times[1:])]

    def sizes(self):
        """The frame sizes that players have received."""
        numbers = set().union(*self.served.values())
        return {self._sizes[number] for number in numbers if number in self._sizes}


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection from a player, and one to the server."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        daemon = self.server.proxy.daemon
        self._upstream = http.client.HTTPConnection(daemon.ip, daemon.port, timeout=15)

    def finish(self):
        self._upstream.close()
        super().finish()

    def log_message(self, *_):
        pass

    def do_GET(self):
        path, _, query = self.path.partition("?")
        query = f"?{query}" if query else ""
        try:
            self._answer(MEDIA.match(path), path, query)
        except (ConnectionError, TimeoutError):  # either end has closed
            self.close_connection = True

    def _answer(self, media, path, query):
        rungs = self.server.proxy.rungs
        if not media:
            return self._pass_on(path + query)
        if media["name"] == "playlist.m3u8":
            return self._playlist(query)
        number = int(media["number"] or 0)
        if media["number"]:
            self.server.proxy.served[media["session"]].add(number)
        content = self._pass_on(rungs.path(number % len(rungs.players), media["name"]))
        if media["number"] and content:
            self.server.proxy.sent[number][media["name"]] = mp4_boxes.times(content)
        return None

    def _playlist(self, query):
        texts = []
        for rung in range(self.server.proxy.count()):
            response = self._ask(self.server.proxy.rungs.path(rung) + query)
            texts.append(response.read().decode())
            if response.status != 200:
                return self._send(response, texts[-1].encode())
        return self._send(response, merged(texts).encode())

    def _ask(self, path):
        headers = {"User-Agent": self.headers.get("User-Agent", "")}
        self._upstream.request("GET", path, headers=headers)
        return self._upstream.getresponse()

    def _begin(self, response, length):
        self.send_response(response.status)
        for name in PASSED_ON:
            if name in response.headers:
                self.send_header(name, response.headers[name])
        if length is None:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def _send(self, response, body):
        self._begin(response, len(body))
        self.wfile.write(body)

    def _pass_on(self, path):
        """Forwards each chunk as soon as it arrives. Returns the content, which is empty if there is an error."""
        response = self._ask(path)
        if "Content-Length" in response.headers:
            content = response.read()
            self._send(response, content)
            return content if response.status == 200 else b""
        self._begin(response, None)
        content = bytearray()
        while piece := response.read1(1 << 16):
            content += piece
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")
        return bytes(content)
