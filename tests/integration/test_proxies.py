"""Behind real proxies: which clients are administrators, which addresses are known, and playback below a
sub-path."""

import contextlib
import functools
import json
import re
import shutil
import subprocess
import urllib.parse
import xml.etree.ElementTree as ElementTree

import pytest

from netlab import proxies
from netlab.browser.chromium import PAGE_PLAYS, Browser
from netlab.daemon import Daemon, free_port, wait_until
from tests.integration.conftest import QUICK, SMALL
from tests.integration.segment_requests import MPD

STRANGER = "127.0.0.5"
ADMIN = "127.0.0.6"
PATIENCE = 60  # seconds
CONFIG = QUICK + """keyframe_interval = "500ms"
[segments]
part = "250ms"
"""
TRUSTING = f"""
[server]
trusted_proxies = ["127.0.0.1"]
max_viewers_per_address = 1
[admin]
allow = ["127.0.0.1", "::1", "{ADMIN}"]
"""
SENDING = TRUSTING.replace("trusted_proxies", "proxy_protocol")
HEADERS = [proxies.forwarding_nginx, proxies.caddy]
CONNECTIONS = [functools.partial(proxies.haproxy, version=1), functools.partial(proxies.haproxy, version=2)]
NAMES = ["nginx", "caddy"]
# (proxy, fixture of a server that knows of it)
KNOWN = [*((proxy, "trusting") for proxy in HEADERS), *((proxy, "told") for proxy in CONNECTIONS)]
KNOWN_NAMES = [*NAMES, "haproxy v1", "haproxy v2"]
pytestmark = pytest.mark.skipif(
    not all(shutil.which(name, path="/usr/local/bin:/usr/bin:/usr/sbin")
            for name in ("nginx", "caddy", "haproxy")),
    reason="a proxy is missing: run scripts/install-deps test")


@pytest.fixture(scope="module")
def unaware(tmp_path_factory):
    """A server that trusts no proxy."""
    with Daemon("--source", SMALL, directory=tmp_path_factory.mktemp("unaware"), config=CONFIG) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def trusting(tmp_path_factory):
    """A server that believes X-Forwarded-For of the proxies on this machine."""
    with Daemon("--source", SMALL, directory=tmp_path_factory.mktemp("trusting"),
                config=CONFIG + TRUSTING) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A server that all proxies on 127.0.0.1 send the PROXY protocol to. It can be asked at ::1."""
    port = free_port()
    with Daemon("--listen", f"127.0.0.1:{port}", "--source", SMALL, ip="::1", port=port,
                directory=tmp_path_factory.mktemp("told"), config=CONFIG + SENDING) as daemon:
        yield daemon


def through(proxy, folder, daemon):
    return proxy(folder / "proxy", daemon)


# A server that does not know of the proxy.

@pytest.mark.parametrize("proxy", [proxies.nginx, *HEADERS], ids=["bare nginx", *NAMES])
@pytest.mark.parametrize("path", ["/metrics", "/api/v1/events", "/tv/metrics"])
def test_nobody_is_admin_through_a_proxy_that_was_not_named(unaware, tmp_path, proxy, path):
    """Although it connects from loopback, which is in admin.allow."""
    with through(proxy, tmp_path, unaware) as front:
        for headers in ({}, {"X-Forwarded-For": "127.0.0.1"}, {"Host": "localhost"},
                        {"Forwarded": "for=127.0.0.1"}):
            status, body = front.get(path, headers=headers)
            assert (status, "server.trusted_proxies" in body) == (403, True), body
        _, body = front.get("/api/v1/streams")
        told = json.loads(body)
        assert (told["admin"], told["proxy"]) == (False, "unknown")


def lines_of(daemon, event):
    return [line for line in daemon.log().splitlines() if f" {event} " in line]


@pytest.mark.parametrize("proxy", [proxies.nginx, *HEADERS], ids=["bare nginx", *NAMES])
def test_an_unknown_proxy_is_reported_once(tmp_path, proxy):
    """At its first request: the server needs none of the 10 s that an operator would wait."""
    with Daemon("--source", SMALL, directory=tmp_path) as daemon:
        assert not lines_of(daemon, "proxy_in_front")
        with through(proxy, tmp_path, daemon) as front:
            for _ in range(3):
                front.get("/")
        [line] = wait_until(lambda: lines_of(daemon, "proxy_in_front"), PATIENCE, "the line")
        assert " address=127.0.0.1 " in line and "server.trusted_proxies" in line
        assert daemon.metrics().sum("symcast_proxied_requests_total", proxy="unknown") == 3
        assert daemon.metrics().sum("symcast_proxied_requests_total", proxy="trusted") == 0


def test_a_browser_shows_a_proxy_that_adds_no_header(tmp_path, needs_chromium):
    """By the Connection header, which is the proxy's own. Nobody is an administrator then."""
    with Daemon("--source", SMALL, directory=tmp_path, config=CONFIG) as daemon, Browser() as browser:
        direct = browser.open(f"http://127.0.0.1:{daemon.port}", delivery="mp4")
        direct.until(PAGE_PLAYS)
        assert direct.evaluate("document.getElementById('proxy').hidden")
        assert not lines_of(daemon, "proxy_in_front")
        with through(proxies.silent_nginx, tmp_path, daemon) as front:
            page = browser.open(front.origin, "/", delivery="mp4")
            page.until("!document.getElementById('proxy').hidden")
            assert page.evaluate("fetch('/metrics').then(answer => answer.status)") == 403
            [line] = wait_until(lambda: lines_of(daemon, "proxy_in_front"), PATIENCE, "the line")
            assert " sign=Connection " in line


SILENT = [functools.partial(proxies.haproxy, version=0), proxies.silent_nginx]


@pytest.mark.parametrize("proxy", SILENT, ids=["haproxy", "nginx"])
def test_viewers_at_one_near_address_are_reported(tmp_path, proxy):
    """No request of theirs shows the proxy."""
    with Daemon("--source", SMALL, directory=tmp_path, config=CONFIG) as daemon, \
            through(proxy, tmp_path, daemon) as front, contextlib.ExitStack() as watching:
        def at_one_address():
            return daemon.metrics().sum("symcast_viewers_at_one_address")

        def join(origin, client):
            player = watching.enter_context(subprocess.Popen(
                ["curl", "-sS", "--interface", client, "-o", "/dev/null", f"{origin}/live.ts"]))
            watching.callback(player.terminate)

        for client in ("127.0.0.7", "127.0.0.8", "127.0.0.9"):
            join(f"http://127.0.0.1:{daemon.port}", client)
        for client in ("127.0.0.5", "127.0.0.6"):
            join(front.origin, client)
        daemon.wait_for(lambda m: len(m.all("symcast_viewer_min_rtt_seconds")) == 5, PATIENCE,
                        "five viewers")
        assert at_one_address() == 0
        join(front.origin, "127.0.0.5")
        [line] = wait_until(lambda: lines_of(daemon, "viewers_at_one_address"), PATIENCE, "the line")
        assert " address=127.0.0.1 viewers=3 " in line
        wait_until(lambda: at_one_address() == 3, PATIENCE, "the metric")


@pytest.mark.parametrize("version", CONNECTIONS, ids=["v1", "v2"])
def test_the_proxy_protocol_of_a_stranger_is_refused_and_explained(unaware, tmp_path, version):
    with through(version, tmp_path, unaware) as front:
        assert front.get("/")[0] == 400
    wait_until(lambda: "protocol=PROXY" in unaware.log(), PATIENCE, "the line")


# A server that trusts it.

@pytest.mark.parametrize("proxy, server", KNOWN, ids=KNOWN_NAMES)
def test_a_known_proxy_names_the_admin(request, tmp_path, proxy, server):
    daemon = request.getfixturevalue(server)
    with through(proxy, tmp_path, daemon) as front:
        for headers in ({}, {"X-Forwarded-For": ADMIN}, {"X-Real-IP": ADMIN},
                        {"Forwarded": f"for={ADMIN}"}, {"X-Forwarded-Host": "localhost"}):
            assert front.get("/metrics", client=STRANGER, headers=headers)[0] == 403, headers
        assert front.get("/metrics", client=ADMIN)[0] == 200
        for headers in ({"Host": "evil.example"},
                        {"Host": "evil.example", "X-Forwarded-Host": "localhost"}):
            assert front.get("/metrics", client=ADMIN, headers=headers)[0] == 403, headers
        told = json.loads(front.get("/api/v1/streams", client=ADMIN)[1])
        assert (told["admin"], told["proxy"]) == (True, "trusted")
    if server == "told":
        assert daemon.get("/metrics", ip="127.0.0.1")[0] == 400, "nobody else may write the header"
    assert daemon.get("/metrics")[0] == 200, "Prometheus on the same machine asks directly"


@pytest.mark.parametrize("proxy, server", KNOWN, ids=KNOWN_NAMES)
def test_the_true_address_is_in_the_log_and_the_limits(request, tmp_path, proxy, server):
    daemon = request.getfixturevalue(server)
    with through(proxy, tmp_path, daemon) as front:
        def play(client):
            return subprocess.Popen(
                ["curl", "-sS", "--interface", client, "-o", "/dev/null", "-w", "%{http_code}",
                 f"{front.origin}/live.ts"], stdout=subprocess.PIPE, text=True)

        def joined(client):
            return daemon.log().count(f" address={client} ")

        before = {client: joined(client) for client in (STRANGER, ADMIN)}
        players = [play(client) for client in before]
        try:
            wait_until(lambda: all(joined(client) > count for client, count in before.items()),
                       PATIENCE, "both are viewers")
            assert play(STRANGER).communicate(timeout=PATIENCE)[0] == "503", "one per address"
        finally:
            for player in players:
                player.terminate()
                player.wait()
        daemon.wait_for(lambda m: m.sum("symcast_viewers") == 0, PATIENCE, "both have left")


# Below a sub-path.

@pytest.fixture(scope="module", params=HEADERS, ids=NAMES)
def front(request, unaware, tmp_path_factory):
    with through(request.param, tmp_path_factory.mktemp("front"), unaware) as proxy:
        yield proxy


@pytest.mark.parametrize("path", ["live.ts", "live.mp4", "live/index.m3u8", "live/index.m3u8?abr=player",
                                  "live/manifest.mpd"])
def test_every_format_plays_below_a_sub_path(front, path):
    played = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", f"{front.origin}/tv/{path}", "-t", "2", "-f", "null", "-"],
        capture_output=True, text=True, timeout=2 * PATIENCE, check=False)
    assert played.returncode == 0, played.stderr


def test_every_address_stays_below_the_sub_path_and_keeps_the_query(front):
    """Those of the page are in test_the_page_plays_below_a_sub_path."""
    def load(url):
        address = urllib.parse.urlsplit(url)
        assert address.path.startswith("/tv/live/") and "token=a%20b" in address.query, url
        status, body = front.get(f"{address.path}?{address.query}")
        assert status == 200, (url, body)
        return body

    base = f"{front.origin}/tv/live/"
    variant = urllib.parse.urljoin(base, load(base + "index.m3u8?token=a%20b").splitlines()[-1])
    playlist = load(variant)
    for line in playlist.splitlines():
        if "URI=" in line:
            assert "token=a%20b\"" in line
    assert playlist.count("token=a%20b") > 3
    first = next(line for line in playlist.splitlines() if line and not line.startswith("#"))
    load(urllib.parse.urljoin(variant, first))

    mpd_url = base + "manifest.mpd?abr=server&token=a%20b"
    for url in (mpd_url, None):
        mpd = ElementTree.fromstring(load(url or location))
        folder = urllib.parse.urljoin(url or location, mpd.findtext(f"{MPD}BaseURL", ""))
        location = urllib.parse.urljoin(url or location, mpd.findtext(f"{MPD}Location"))
        load(urllib.parse.urljoin(folder, mpd.find(f"{MPD}UTCTiming").get("value")))
        for template in mpd.iter(f"{MPD}SegmentTemplate"):
            assert template.get("media").endswith("?token=a%20b")
            assert template.get("initialization").endswith("?token=a%20b")


def lasting(troubles):
    """Without those of viewers who left before the page asked for their events, as on a busy machine."""
    return [trouble for trouble in troubles if not re.search(r"\b404\b.*/api/v1/viewers/\d+/events", trouble)]


def test_the_page_plays_below_a_sub_path(front, needs_chromium):
    with Browser() as browser:
        for delivery in ("mp4", "hls"):
            page = browser.open(front.origin, "/tv/", delivery=delivery)
            page.until(PAGE_PLAYS)
            seen = page.seen()
            assert lasting(seen["troubles"]) == []
            own = (f"{front.origin}/tv/", f"blob:{front.origin}/")
            assert [url for url in seen["requests"] if not url.startswith(own)] == []
            page.until("!document.getElementById('proxy').hidden")
            page.close()


# Behind a proxy that checks a token.

@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """A server with a page, and a proxy in front that checks a token; this machine is admin."""
    folder = tmp_path_factory.mktemp("checked")
    (folder / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>')
    config = CONFIG + f"""
[server]
trusted_proxies = ["127.0.0.1"]
[page]
logo = "{folder}/logo.svg"
"""
    with (Daemon("--source", SMALL, directory=folder, config=config) as daemon,
          through(proxies.checking_nginx, folder, daemon) as front):
        assert front.get("/healthz")[0] == 403
        yield front


@pytest.mark.parametrize("path, delivery", [("/?", "mp4"), ("/?mode=flv&stream=none&abr=player&", "hls"),
                                            ("/tv/live?rate=1k&", "flv"), ("/tv/live?flag&", "hls")])
def test_all_requests_of_the_page_keep_its_query(checked, needs_chromium, path, delivery):
    """Scripts, styles, pictures, API, events, clock and media. A parameter of the page's URL that means
    something in other addresses, or is only named like a choice of the page, changes nothing."""
    with Browser() as browser:
        page = browser.open(checked.origin, path + proxies.TOKEN, delivery=delivery)
        page.until(PAGE_PLAYS)
        page.until("document.querySelector('#dashboard tbody tr') !== null")
        page.until("document.getElementById('logo').naturalWidth > 0")
        loaded = [url for url in page.seen()["requests"] if not url.startswith("blob:")]
        assert [url for url in loaded if proxies.TOKEN not in url] == []
        assert [url for url in loaded[1:] if "abr=" in url or "rate=" in url] == []
        asked = {urllib.parse.urlsplit(url).path.removeprefix("/tv") for url in loaded}
        assert {"/api/v1/streams", "/api/v1/time", "/api/v1/events", "/logo"} <= asked
        media = {"mp4": "/live.mp4", "flv": "/live.flv", "hls": "/live/index.m3u8"}[delivery]
        assert media in asked
        links = page.evaluate("[...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href'))")
        assert all(proxies.TOKEN in link for link in links if not link.startswith("#")), links
        assert lasting(page.seen()["troubles"]) == []
        page.close()


def test_the_status_page_keeps_its_query(checked):
    _, body = checked.get(f"/status?{proxies.TOKEN}")
    links = re.findall(r'href="([^"]+)"', body)
    assert len(links) == 5
    for link in links:
        assert link.endswith(f"?{proxies.TOKEN}")
    assert checked.get(f"/{links[3]}")[0] == 200


def test_without_the_token_there_is_nothing(checked):
    for path in ("/", "/live", "/api/v1/streams", "/live/index.m3u8"):
        assert checked.get(path)[0] == 403
