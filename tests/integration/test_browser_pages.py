"""The page at / and at /NAME in Chromium: which stream it shows, and how the operator may change it."""

import http.server
import threading

import pytest

from netlab.browser.chromium import PAGE_PLAYS, VIDEO, Browser, origin
from netlab.daemon import Daemon, free_port, wait_until
from tests.integration.conftest import QUICK

PATIENCE = 60  # seconds
MESSAGE = "document.getElementById('message').textContent"
TABS = "[...document.querySelectorAll('#streams label')].map((label) => label.textContent)"
ALL = f'JSON.stringify({TABS}) === `["away (offline)","zebra","ant"]`'  # a busy machine may show others offline first
LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 1"><rect width="2" height="1"/></svg>'
pytestmark = pytest.mark.usefixtures("needs_chromium")


def small(name):
    return "--source", f"{name}=test:?size=192x108&fps=15"


@pytest.fixture(scope="module")
def browser():
    with Browser() as browser:
        yield browser


def wait_until_two_play(daemon):
    """A busy machine may have a pause."""
    wait_until(lambda: daemon.get("/healthz")[2].count(b" playing") == 2, PATIENCE, "two play")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The first stream never plays."""
    with Daemon("--source", "away=file:/nothing.mp4", *small("zebra"), *small("ant"), config=QUICK,
                directory=tmp_path_factory.mktemp("server"), sources_play=False) as daemon:
        wait_until_two_play(daemon)
        yield daemon


@pytest.fixture
def visit(browser):
    """visit(server, path, option=...) -> Page, which is closed after the test."""
    pages = []

    def go(server, path="/", **options):
        pages.append(browser.open(origin(server), path, **options))
        return pages[-1]

    yield go
    for page in pages:
        page.close()


def test_shows_the_first_stream_of_the_configuration_that_plays(server, visit):
    wait_until_two_play(server)
    page = visit(server)
    page.until(PAGE_PLAYS)
    assert page.evaluate("document.title") == "zebra · symcast"
    page.until(ALL)


def test_a_stream_has_a_page_of_its_own(server, visit):
    page = visit(server, "/ant")
    page.until(PAGE_PLAYS)
    assert page.evaluate("document.title") == "ant · symcast"
    assert page.evaluate(TABS) == []
    assert page.seen()["troubles"] == []


@pytest.mark.parametrize("guess", ["/zebra/", "/watch/zebra"])
def test_a_near_miss_leads_to_the_page(server, visit, guess):
    page = visit(server, guess)
    page.until(PAGE_PLAYS)
    assert page.evaluate("location.pathname") == "/zebra"


@pytest.mark.parametrize("guess, meant", [("/zebra.m3u8", "/zebra/index.m3u8"),
                                          ("/zebra/playlist.m3u8?a=1", "/zebra/index.m3u8?a=1"),
                                          ("/hls/zebra.m3u8", "/zebra/index.m3u8"),
                                          ("/live/zebra.flv", "/zebra.flv")])
def test_near_misses_of_players_are_redirected(server, guess, meant):
    status, headers, _ = server.get(guess)
    depth = guess.split("?")[0].count("/")
    assert (status, headers["Location"]) == (302, "../" * (depth - 1) + meant[1:])


def test_an_unknown_name_says_so(server, visit):
    assert b'did you mean "zebra"?' in server.get("/zebr.ts")[2]
    page = visit(server, "/#nothing")
    page.until(f"{MESSAGE}.includes('no stream named nothing')")
    page.until(ALL)
    page.do("click", selector="#streams label:has-text('ant')")
    page.until(PAGE_PLAYS)


def test_no_message_covers_the_picture_of_another_stream(server, visit):
    page = visit(server, "/#ant")
    page.until(PAGE_PLAYS)
    page.evaluate("location.hash = 'away'")
    page.until(f"{MESSAGE}.includes('away')")
    assert page.evaluate(f"getComputedStyle({VIDEO}).visibility") == "hidden"
    page.evaluate("location.hash = 'ant'")
    page.until(PAGE_PLAYS)
    assert page.evaluate(f"getComputedStyle({VIDEO}).visibility") == "visible"


def test_all_tabs_are_in_sight_on_a_phone(tmp_path, visit):
    names = ["a-stream-with-a-very-long-name-that-needs-a-line-of-its-own", "b", "c", "d-has-a-name", "e"]
    sources = [word for name in names for word in ("--source", f"{name}=file:/nothing.mp4")]
    with Daemon(*sources, *small("f"), directory=tmp_path, config=QUICK, sources_play=False) as daemon:
        page = visit(daemon, viewport={"width": 360, "height": 740})
        page.until(PAGE_PLAYS)
        inside = page.evaluate("""[...document.querySelectorAll('#streams label')].map((label) => {
            const { left, right, top, bottom } = label.getBoundingClientRect();
            return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight; })""")
        assert inside == [True] * 6


def test_title_logo_and_technical_controls_are_the_operators(tmp_path, visit):
    (tmp_path / "logo.svg").write_text(LOGO)
    config = QUICK + f'[page]\ntitle = "Village TV"\nlogo = "{tmp_path}/logo.svg"\ntechnical = false\n'
    with Daemon(*small("live"), directory=tmp_path, config=config) as daemon:
        page = visit(daemon)
        page.until(PAGE_PLAYS)
        assert page.evaluate("document.title") == "live · Village TV"
        page.until("document.getElementById('logo').naturalWidth > 0")
        for selector in (".details", "#dashboard", "#mark"):
            assert page.evaluate(f"document.querySelector('{selector}').checkVisibility()") is False
        assert page.seen()["troubles"] == []


@pytest.mark.parametrize("allowed", [True, False])
def test_only_allowed_sites_may_embed_the_page(tmp_path, browser, allowed):
    ours, theirs = free_port(), free_port()
    html = f'<!doctype html><title>club</title><iframe src="http://127.0.0.1:{ours}/live"></iframe>'
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text(html)
    site = f"http://127.0.0.1:{theirs}"
    config = QUICK + (f'[page]\nembed = ["{site}"]\n' if allowed else "")

    class Files(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=folder)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", theirs), Files) as web:
        threading.Thread(target=web.serve_forever).start()
        try:
            with Daemon(*small("live"), directory=tmp_path, config=config, port=ours) as daemon:
                page = browser.open(site)
                if allowed:
                    daemon.wait_for(lambda m: m.sum("symcast_viewers") == 1, PATIENCE, "it plays")
                else:
                    wait_until(lambda: any("frame-ancestors" in text for text in page.seen()["troubles"]),
                               PATIENCE, "the browser refuses it")
                    assert daemon.metrics().sum("symcast_viewers_joined_total") == 0
                page.close()
        finally:
            web.shutdown()

