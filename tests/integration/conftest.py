"""Fixtures of the integration tests, which run the real binary. Each test file stands alone. ctest runs
them (`ctest --preset dev -R integration_http`). To run one by hand, with the newest build, in the root
of the repository:

    export PYTHONPATH=. WEB_MODULES=$PWD/build/dev/web
    export SWITCHING_SERVER=build/dev/tests/integration/switching/switching_server
    /usr/bin/python3 -m pytest tests/integration/test_http.py

Browser tests need WEB_MODULES, tests with changes of group SWITCHING_SERVER."""

import pytest

from netlab import daemon, network
from netlab.browser import chromium
from netlab.viewer import Viewer
from tests.integration import quick_segments
from tests.integration.segment_requests import DashPlayer, HlsPlayer

# Small frames: these tests are about delivery, and have to run on two cores.
SMALL = "live=test:?size=320x180&fps=30"
# Groups stay when their viewers have left, and so do the counts of the frames that they left out.
KEEP_GROUPS = '[groups]\nlinger = "1h"\n'
# A viewer on a busy machine reads late, so that their rate falls, and a stream has fewer pictures at low rates.
ALL_PICTURES = '[control]\npolicy = "off"\n'
QUICK = '[encoder]\npreset = "ultrafast"\n'


def pytest_terminal_summary(terminalreporter):
    for crash in daemon.crashes:
        terminalreporter.section("a server crashed")
        terminalreporter.write_line(crash)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):  # noqa: ARG001
    """A test that failed shows the logs of its servers: it may not fail again where someone can look."""
    report = (yield).get_result()
    if report.failed:
        report.sections += [(f"log of the server on port {server.port}", server.end_of_log())
                            for server in daemon.running]


def pytest_sessionfinish(session):
    """A crash fails the run, whichever test it happened in."""
    if daemon.crashes:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def serve(tmp_path):
    """serve(*arguments, config=..., lab=...) -> Daemon, which ends after the test."""
    running = []

    def start(*args, **options):
        running.append(daemon.Daemon(*args, directory=tmp_path, **options).__enter__())
        return running[-1]

    yield start
    for server in reversed(running):
        server.__exit__(None)


@pytest.fixture
def small(serve):
    """A server with the small test source."""
    return serve("--source", SMALL)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A server with the small test source, for all tests of a file that leave it as it is."""
    with daemon.Daemon("--source", SMALL, directory=tmp_path_factory.mktemp("shared"),
                       config=KEEP_GROUPS + QUICK) as server:
        yield server


@pytest.fixture(scope="module")
def quick(request, tmp_path_factory):
    """A server with the STREAMS of the test file, as in quick_segments.py. They do not disturb each
    other. `live` has a viewer all the time, so that its segments are made without a break."""
    directory = tmp_path_factory.mktemp("quick")
    config = quick_segments.configuration(request.module.STREAMS)
    with daemon.Daemon(directory=directory, config=config) as server:
        with Viewer(server.url(), directory=directory):
            yield server


@pytest.fixture
def hls(quick):
    with HlsPlayer(quick) as player:
        yield player


@pytest.fixture
def dash(quick):
    with DashPlayer(quick) as player:
        yield player


@pytest.fixture
def view(tmp_path):
    """view(url, *ts_client options, name=..., lab=..., client=...) -> Viewer; ends after the test."""
    running = []

    def start(url, *options, **where):
        where.setdefault("name", f"viewer{len(running)}")
        running.append(Viewer(url, *options, directory=tmp_path, **where))
        return running[-1]

    yield start
    for viewer in running:
        viewer.__exit__()


@pytest.fixture(scope="session")
def needs_chromium():
    """Skips, with the reason, if Chromium cannot visit pages here."""
    reason = chromium.why_unavailable()
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="session")
def needs_lab():
    """Skips, with the reason, if network namespaces cannot be made here."""
    reason = network.why_unavailable()
    if reason:
        pytest.skip(reason)
