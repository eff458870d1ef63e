"""The page at / keeps playing on a long path: after a pause, an outage, and while the link is slow."""

import time

import pytest

from netlab.browser.chromium import BADGE, PAGE_PLAYS, PATIENCE, PHASE, Browser, origin
from netlab.daemon import Daemon, wait_until
from netlab.network import Netlab

# With noise the encoder spends its whole rate, so that the link limits the stream.
NOISE = "live=test:?size=320x180&fps=15&content=noise"
FLUENT = "fluent=test:?size=320x180&fps=30&content=noise"
CONFIG = """
[encoder]
preset = "ultrafast"
[rate]
min = "100k"
start = "1M"
max = "2M"
"""
FAST, SLOW, FAINT = "4M", "500k", "70k"
OUTAGE = 8  # seconds: a connection of the page that is silent for six seconds is dead
pytestmark = pytest.mark.usefixtures("needs_chromium", "needs_lab")


@pytest.fixture(scope="module")
def lab():
    with Netlab(rate="20M", delay_ms=100, queue_bytes=64_000) as lab:
        yield lab


@pytest.fixture(scope="module")
def server(lab, tmp_path_factory):
    with Daemon("--source", NOISE, "--source", FLUENT, config=CONFIG, lab=lab,
                directory=tmp_path_factory.mktemp("server")) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def browser(lab, server):
    with Browser(lab) as browser:
        yield browser


@pytest.fixture
def visit(browser, server):
    """visit(delivery, ...) -> [Page], which play."""
    pages = []

    def go(*deliveries):
        pages.extend(browser.open(origin(server), delivery=delivery) for delivery in deliveries)
        for page in pages:
            page.until(PAGE_PLAYS)
        return pages

    yield go
    for page in pages:
        page.close()


def test_playback_resumes_after_a_pause(visit):
    """The old picture stays until the first byte of the new connection arrives."""
    pages = visit("mp4", "flv", "hls")
    for page in pages:
        page.do("press", key="Space")
        page.until(f"{PHASE} === 'paused'")
        page.do("press", key="Space")
    for page in pages:
        page.until(PAGE_PLAYS)
        page.plays_on()


def test_the_delay_of_an_outage_is_caught_up(lab, visit):
    """At normal speed the picture would stay as old as the outage was long."""
    pages = visit("mp4", "flv", "hls")
    for page in pages:
        page.record()
        page.plays_on()
    lab.set(both_blackhole="on")
    time.sleep(OUTAGE)
    ages = [page.until_pictures(lambda pictures: True, "a picture").age() for page in pages]
    lab.set(both_blackhole="off")
    assert min(ages) >= OUTAGE
    for page in pages:
        page.until_pictures(lambda pictures: pictures.age() < 0.7 * OUTAGE, "the page has caught up")
        page.plays_on()


def test_the_rate_follows_the_link_without_a_new_connection(lab, server, visit):
    [page] = visit("mp4")
    page.record()
    until_rate(server, lambda rate: rate > 1_500_000, "the link is fast")
    lab.set(down_rate=SLOW)
    until_rate(server, lambda rate: rate < 500_000, "the link has fallen")
    fallen = time.monotonic()
    page.until_pictures(lambda pictures: pictures.newest() > fallen,
                        "a picture captured after the fall")
    page.plays_on()
    lab.set(down_rate=FAST)
    until_rate(server, lambda rate: rate > 1_000_000, "the link is fast again")
    page.plays_on()
    seen = page.seen()
    assert seen["troubles"] == []
    assert len([url for url in seen["requests"] if url.endswith("/live.mp4")]) == 1


def test_the_page_says_when_the_picture_pauses_for_the_audio(lab, browser, server):
    """The link carries little more than the audio."""
    page = browser.open(origin(server), "/#fluent", delivery="mp4")
    page.until(PAGE_PLAYS)
    lab.set(down_rate=FAINT)
    page.until(f"{BADGE} === 'Poor connection'")
    assert "the audio" in page.evaluate("document.getElementById('away').textContent")
    page.plays_on(2)
    lab.set(down_rate=FAST)
    page.until(f"{BADGE} === 'Live'")
    page.close()


def until_rate(server, condition, what):
    """Waits until the target rate of a group that has viewers meets the condition."""
    def rates():
        metrics = server.metrics()
        groups = [labels["group"] for name, labels, viewers in metrics.samples
                  if name == "symcast_group_viewers" and viewers > 0]
        return [rate for group in groups
                for rate in metrics.all("symcast_group_rate_target_bits_per_second", group=group)]

    wait_until(lambda: any(condition(rate) for rate in rates()), PATIENCE, what)
