"""The requests of a segment player (HLS or DASH), and the times of the replies."""

import dataclasses
import http.client
import select
import time
import urllib.parse
import xml.etree.ElementTree as ElementTree

import pytest

from netlab import mp4_boxes
from netlab.daemon import wait_until
from netlab.network import open_socket
from tests.integration import hls_rules

TIMEOUT = 30  # seconds: longer than the server holds any request
PATIENCE = 60  # seconds until an event that usually takes less than six
NOT_IN_TIME = b"not ready in time: request it again"
MPD = "{urn:mpeg:dash:schema:mpd:2011}"


@dataclasses.dataclass
class Reply:
    """A response. `arrivals`: (wall time, bytes) of each piece of the body."""

    status: int
    headers: http.client.HTTPMessage
    arrivals: list
    asked: float
    answered: float  # when the head had arrived

    @property
    def body(self):
        return b"".join(piece for _, piece in self.arrivals)

    @property
    def first(self):
        return self.arrivals[0][0]

    @property
    def last(self):
        return self.arrivals[-1][0]


class Player:
    """A client with one persistent connection, made from the namespace `netns` and `source_address`."""

    def __init__(self, daemon, netns=None, ip=None, source_address=None):
        self._source_address = source_address
        self._address = (ip or ("127.0.0.1" if daemon.netns else daemon.ip), daemon.port)
        self._netns = netns or daemon.netns
        self._connection = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._connection:
            self._connection.close()
            self._connection = None

    def get(self, path, method="GET", headers=None):
        self._connect()
        asked = time.time()
        self._connection.request(method, path, headers=headers or {})
        response = self._connection.getresponse()
        reply = Reply(response.status, response.headers, [], asked, time.time())
        while piece := response.read1(1 << 16):
            reply.arrivals.append((time.time(), piece))
        response.close()  # read1 leaves it open if the length is known
        if response.will_close:
            self.__exit__()
        return reply

    def get_in_time(self, path):
        """Repeats a request that the server could not answer in time, as it tells players to do: on a
        busy machine encoders are slow."""
        deadline = time.monotonic() + PATIENCE
        while True:
            reply = self.get(path)
            if NOT_IN_TIME not in reply.body or time.monotonic() > deadline:
                return reply

    def media(self, path):
        """Loads something that must exist; returns the body."""
        reply = self.get_in_time(path)
        assert reply.status == 200, (path, reply.status, reply.body)
        return reply.body

    def _connect(self):
        if self._connection and not select.select([self._connection.sock], [], [], 0)[0]:
            return
        self.__exit__()  # the server closes idle connections
        self._connection = http.client.HTTPConnection(*self._address, timeout=TIMEOUT)
        self._connection.sock = open_socket(self._netns)
        self._connection.sock.settimeout(TIMEOUT)
        if self._source_address:
            self._connection.sock.bind((self._source_address, 0))
        self._connection.sock.connect(self._address)


class HlsPlayer(Player):
    """An HLS session. `query` is that of the multivariant playlist, such as "?abr=player"."""

    def __init__(self, daemon, query="", stream="live", **where):
        super().__init__(daemon, **where)
        self._index = f"/{stream}/index.m3u8"
        self.multivariant = hls_rules.MultivariantPlaylist(
            self.media(self._index + query).decode())

    def paths(self):
        """{rendition: path} of the media playlists."""
        paths = [urllib.parse.urljoin(self._index, uri) for uri in self.multivariant.uris()]
        return {path.split("/")[-2]: path for path in paths}

    def path(self, rendition, name):
        """The path of a name in a media playlist."""
        return urllib.parse.urljoin(self.paths()[rendition], name)

    def playlist_path(self, rendition, **directives):
        """`directives`: `msn` and `part`, what the playlist has to contain."""
        words = [f"_HLS_{name}={value}" for name, value in sorted(directives.items())]
        return self.paths()[rendition] + (f"?{'&'.join(words)}" if words else "")

    def ask_playlist(self, rendition, **directives):
        """The reply to one playlist request."""
        return self.get(self.playlist_path(rendition, **directives))

    def playlist(self, rendition, **directives):
        body = self.media(self.playlist_path(rendition, **directives))
        return hls_rules.MediaPlaylist(body.decode())

    def others(self, rendition):
        """URIs of all other media playlists, as in this one's rendition reports."""
        return [f"../{name}/playlist.m3u8" for name in self.paths() if name != rendition]


def hinted(playlist):
    """(segment number, part number) of the next part."""
    number, part, _ = playlist.hints[0]["URI"].split(".")
    return int(number), int(part)


def at_once(player, ask):
    """The reply to ask() when no part was made meanwhile: it waited for none."""
    def attempt():
        before = hinted(player.playlist("auto"))
        reply = ask()
        return reply if hinted(player.playlist("auto")) == before else None
    return wait_until(attempt, PATIENCE, "a reply before the next part")


class DashPlayer(Player):
    """A DASH session. `mpd` is the root element of its manifest."""

    def __init__(self, daemon, query="", stream="live", **where):
        super().__init__(daemon, **where)
        self._manifest = f"/{stream}/manifest.mpd"
        self.mpd = ElementTree.fromstring(self.media(self._manifest + query))

    def path(self, name):
        base = urllib.parse.urljoin(self._manifest, self.mpd.find(f"{MPD}BaseURL").text)
        return urllib.parse.urljoin(base, name)

    def representations(self):
        """{id: (segment template, representation)}."""
        found = {}
        for adaptation in self.mpd.iter(f"{MPD}AdaptationSet"):
            template = adaptation.find(f"{MPD}SegmentTemplate")
            for representation in adaptation.iter(f"{MPD}Representation"):
                found[representation.get("id")] = (template, representation)
        return found

    def segment(self, representation, number):
        """The path of a segment."""
        template, _ = self.representations()[representation]
        name = template.get("media").replace("$RepresentationID$", representation)
        return self.path(name.replace("$Number$", str(number)))

    def init(self, representation):
        template, _ = self.representations()[representation]
        return self.path(template.get("initialization").replace("$RepresentationID$",
                                                                 representation))


def pauses(daemon, stream="live"):
    """How often a machine was too busy to play the source of a stream, or had to close an encoder."""
    metrics = daemon.metrics()
    return sum(metrics.sum(f"symcast_{what}_total", stream=stream) for what in
               ("source_timeline_jumps", "source_stalls", "source_frames_repeated", "groups_shed"))


def undisturbed(observe, daemon, stream="live"):
    """The result of observe() from a time in which the source did not pause. Otherwise segments may
    be missing, and requests may time out. Skips the test on a machine where it always pauses."""
    deadline = time.monotonic() + PATIENCE
    while True:
        before, failure = pauses(daemon, stream), None
        try:
            seen = observe()
        except AssertionError as error:
            failure = error
        if pauses(daemon, stream) == before:
            if failure:
                raise failure
            return seen
        if time.monotonic() > deadline:
            pytest.skip("the machine is too slow for this source, which pauses all the time")


def wait_for_frames(daemon):
    """Waits until the frame rate of the source is known."""
    daemon.wait_for(lambda m: m.sum("symcast_source_frames_total") > 50, PATIENCE,
                    "frames of the source")


class Rungs:
    """One player, and so one encoder, for each rate offered. Construction waits until the frames of
    each have the size declared for its rate."""

    def __init__(self, daemon):
        count = len(HlsPlayer(daemon, "?abr=player").multivariant.variants)
        self.players = [HlsPlayer(daemon, "?abr=player") for _ in range(count)]
        self.variants = self.players[0].multivariant.variants
        wait_until(lambda: all([self.sizes(rung) == {self.declared_size(rung)}
                                for rung in range(count)]), 2 * PATIENCE,
                   "each rung has its own size", 0.2)

    def path(self, rung, name="playlist.m3u8"):
        return self.players[rung].path(f"v{rung}", name)

    def playlist(self, rung):
        return self.players[rung].playlist(f"v{rung}")

    def declared_size(self, rung):
        return tuple(map(int, self.variants[rung]["RESOLUTION"].split("x")))

    def sizes(self, rung):
        """Frame sizes of the segments that players begin with."""
        inits = {segment.init for segment in self.playlist(rung).all()[-4:]}
        return {self.size(rung, init) for init in inits}

    def size(self, rung, init):
        return mp4_boxes.picture_size(self.players[rung].media(self.path(rung, init)))
