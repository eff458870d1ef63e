"""The examples of docs/EMBEDDING.md play in Chromium, on a page of another site."""

import http.server
import os
import pathlib
import re
import shutil
import threading

import pytest

from netlab.browser.chromium import Browser
from netlab.daemon import Daemon, binary, free_port
from netlab.network import REPOSITORY
from tests.integration.conftest import QUICK

EXAMPLES = re.findall(r"```html\n(.*?)```", (REPOSITORY / "docs/EMBEDDING.md").read_text(), re.S)
PLAYS = "(() => { const v = document.querySelector('video'); return v?.currentTime > 0.5 && v.videoWidth > 0; })()"
pytestmark = pytest.mark.usefixtures("needs_chromium")


def web_modules():
    return pathlib.Path(os.environ.get("WEB_MODULES") or pathlib.Path(binary()).parent.parent / "web")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """(its origin, its folder, the server that it embeds)"""
    folder, port = tmp_path_factory.mktemp("site"), free_port()
    shutil.copy(web_modules() / "node_modules/hls.js/dist/hls.min.js", folder / "hls.js")

    class Files(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=folder)

        def log_message(self, *_):
            pass

    origin = f"http://127.0.0.1:{port}"
    config = QUICK + f'[page]\nembed = ["{origin}"]\n'
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), Files) as web:
        threading.Thread(target=web.serve_forever).start()
        try:
            with Daemon("--source", "live=test:?size=192x108&fps=15", config=config,
                        directory=tmp_path_factory.mktemp("server")) as daemon:
                yield origin, folder, daemon
        finally:
            web.shutdown()


@pytest.mark.parametrize("number", [n for n, text in enumerate(EXAMPLES) if "index.m3u8\" autoplay" not in text])
def test_example_plays(site, number):
    """Except that for Safari."""
    origin, folder, daemon = site
    text = EXAMPLES[number].replace("tv.example.com:8080", f"127.0.0.1:{daemon.port}")
    (folder / f"{number}.html").write_text(f"<!doctype html><title>example</title>{text}")
    with Browser() as browser:
        page = browser.open(origin, f"/{number}.html")
        if "<iframe" in text:
            daemon.wait_for(lambda m: m.sum("symcast_viewers") == 1, 60, "the player in the frame plays")
        else:
            page.until(PLAYS)
        page.close()
    daemon.wait_for(lambda m: m.sum("symcast_viewers") == 0, 60, "it has left")


def test_a_page_shows_five_players(site, tmp_path):
    """Chromium opens six connections to a server: of the five pages only one waits for news."""
    origin, folder, _ = site
    config = QUICK + f'[page]\nembed = ["{origin}"]\ntechnical = false\n'
    with Daemon("--source", "live=test:?size=192x108&fps=15", config=config, directory=tmp_path) as daemon:
        frame = f'<iframe src="http://127.0.0.1:{daemon.port}/live"></iframe>'
        (folder / "five.html").write_text(f"<!doctype html><title>five</title>{5 * frame}")
        with Browser() as browser:
            page = browser.open(origin, "/five.html")
            daemon.wait_for(lambda m: m.sum("symcast_viewers") == 5, 60, "all play")
            page.close()


def test_there_are_examples():
    assert len(EXAMPLES) == 4
