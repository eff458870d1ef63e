"""The clients that attack: for each case, the server's configuration and the commands that attack it."""

import dataclasses
import sys
from collections.abc import Callable

from bench.hostile.honest import HlsPlayer, connect, get
from bench.tools import bench_tool

# Events are polled: bench/events compares eBPF, which is not of interest here.
PLAIN = '[kernel]\nevents = "tcp_info"\ncongestion_controls = false\n'
QUIET = PLAIN + '[rate]\nmin = "1M"\nmax = "1M"\nstart = "1M"\n'
ONE_GROUP = PLAIN + '[rate]\nmin = "300k"\nmax = "5M"\nstart = "2M"\n[groups]\nmax = 1\n'
SMALL_BUFFER = 2304  # bytes: the least that Linux lets SO_RCVBUF be
TOKEN = "aaaaaaaaaaaaaaaa"
PIPELINED = 30  # requests at once
FAKES = 10


@dataclasses.dataclass(frozen=True)
class Attack:
    what: str
    commands: Callable  # (daemon, options): commands that end by themselves, with JSON
    config: str = QUIET
    source: str = "test:?size=640x360"
    honest: int | None = None  # viewers, if not as many as the options say
    query: str = ""  # of the honest player's segments
    others: bool = True  # whether there is an honest player and newcomers, who begin with rate.start
    rise: float = 0  # seconds until the rate is as high as it gets


def attacker(daemon, options, path, **words):
    """The command for attacker.cc. True stands for a flag."""
    command = [str(bench_tool("attacker")), str(daemon.port), path, "--seconds", str(options.seconds)]
    for name, value in words.items():
        command += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    return command


def script(daemon):
    """The largest file of the page."""
    assets = daemon.assets()
    if not assets:
        sys.exit("hostile: the page was not built: it needs npm")
    return max(assets, key=assets.get)


def newest(daemon):
    return HlsPlayer(daemon).newest()


def last_rung(daemon):
    connection = connect(daemon)
    _, body = get(connection, "/live/index.m3u8?abr=player")
    connection.close()
    return f"v{body.decode().count('#EXT-X-STREAM-INF') - 1}"


def take_nothing(path_of, addresses):
    def commands(daemon, options):
        return [attacker(daemon, options, path_of(daemon), connections=options.readers, addresses=addresses,
                         rcvbuf=SMALL_BUFFER, read_rate=0, again=True)]
    return commands


def pipelining(**words):
    def commands(daemon, options):
        return [attacker(daemon, options, script(daemon), connections=200, addresses=20, pipeline=PIPELINED, again=True,
                         **words)]
    return commands


def one_session(daemon, _=None):
    return f"/live/{TOKEN}/auto/{newest(daemon)}.m4s"


def resets(path):
    def commands(daemon, options):
        return [attacker(daemon, options, path, connections=1000, resets=300)]
    return commands


def playlists(daemon, options):
    path = f"/live/{TOKEN}/auto/playlist.m3u8?_HLS_msn={newest(daemon)}"
    return [attacker(daemon, options, path, connections=options.readers, repeat=True, again=True)]


def tokens(name):
    """Each of 9990 tokens asks every eight seconds: within the ten after which a session ends."""
    def commands(daemon, options):
        return [attacker(daemon, options, f"/live/{{token}}/{name(daemon)}", connections=10, addresses=10, tokens=9990,
                         repeat=True, again=True, every=0.008)]
    return commands


def fakes(daemon, options):
    """Claim the lowest rate, and load nothing."""
    return [attacker(daemon, options, f"/live/{{token}}/{last_rung(daemon)}/{name}", connections=FAKES, addresses=FAKES,
                     tokens=FAKES, repeat=True, again=True, every=1) for name in ("init-999.mp4", "playlist.m3u8")]


def trickle(rate):
    def commands(daemon, options):
        return [attacker(daemon, options, "/live.ts", connections=FAKES, addresses=FAKES, rcvbuf=SMALL_BUFFER,
                         read_rate=rate, again=True)]
    return commands


def rates(daemon, options):
    return [[sys.executable, "-m", "bench.hostile.rates", str(daemon.port), str(options.seconds)]]


def one_group(what, commands):
    return Attack(what, commands, ONE_GROUP, "test:?size=320x180&content=noise", 3, others=False, rise=20)


CASES = {
    "none": Attack("nobody attacks", lambda *_: []),
    "script_1": Attack("readers of the page's script who take nothing, from one address", take_nothing(script, 1)),
    "script_20": Attack("the same from 20 addresses", take_nothing(script, 20)),
    "stream": Attack("readers of /live.ts who take nothing, from 20 addresses",
                     take_nothing(lambda _: "/live.ts", 20)),
    "session": Attack("as many connections of one session, which take nothing", take_nothing(one_session, 1)),
    "pipeline": Attack(f"200 clients send {PIPELINED} requests at once for the script, again and again",
                       pipelining(repeat=True)),
    "pipeline_0": Attack("the same, and take nothing", pipelining(rcvbuf=SMALL_BUFFER, read_rate=0)),
    "resets": Attack("300 clients a second ask for /live.ts and reset the connection", resets("/live.ts")),
    "resets_hls": Attack("the same for /live/index.m3u8", resets("/live/index.m3u8")),
    "playlists": Attack("one session asks for its playlist as often as it is answered", playlists),
    "tokens_404": Attack("9990 sessions that do not exist", tokens(lambda daemon: f"{last_rung(daemon)}/init-999.mp4")),
    "tokens": Attack("9990 sessions that load playlists only", tokens(lambda _: "auto/playlist.m3u8")),
    "fakes": one_group("ten sessions of the lowest rate that load no media, with one encoder", fakes),
    "stuck": one_group("ten readers of /live.ts who take nothing, with one encoder", trickle(0)),
    "trickling": one_group("the same, at 400 kbit/s", trickle(400_000)),
    "rates": Attack("eight clients ask for segments at another rate each time", rates,
                    PLAIN + '[rate]\nmin = "300k"\nmax = "3M"\nstart = "3M"\n', "test:?size=1280x720&content=noise", 3,
                    query="?rate=900k"),
}
