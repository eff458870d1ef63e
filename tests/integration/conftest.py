"""Fixtures of the integration tests. They run the real binary; each file stands alone.
`ctest --preset dev -R integration_http` runs one file. Without ctest, in the root of the repository,
with the newest build:

    export PYTHONPATH=. WEB_MODULES=$PWD/build/dev/web
    export SWITCHING_SERVER=build/dev/tests/integration/switching/switching_server
    /usr/bin/python3 -m pytest tests/integration/test_http.py

Only the tests in a browser need WEB_MODULES, and only those of changes of group SWITCHING_SERVER."""

import pytest

from netlab import daemon, network
from netlab.browser import chromium
from netlab.viewer import Viewer

# A small picture: these tests are about the path, and two cores do for them.
SMALL = "live=test:?size=320x180&fps=30"


def pytest_terminal_summary(terminalreporter):
    for crash in daemon.crashes:
        terminalreporter.section("a server crashed")
        terminalreporter.write_line(crash)


def pytest_sessionfinish(session):
    """What passes when it is run again was the machine's fault; a crash never is."""
    if daemon.crashes:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def serve(tmp_path):
    """serve(*arguments, config=..., lab=...) -> Daemon, ended after the test."""
    running = []

    def start(*args, **options):
        running.append(daemon.Daemon(*args, directory=tmp_path, **options).__enter__())
        return running[-1]

    yield start
    for server in reversed(running):
        server.__exit__(None)


@pytest.fixture
def small(serve):
    """A server of the small test picture."""
    return serve("--source", SMALL)


@pytest.fixture
def view(tmp_path):
    """view(url, *ts_client options, name=..., lab=..., client=...) -> Viewer, ended after."""
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
    """Skips, with the reason, where pages cannot be visited."""
    reason = chromium.why_unavailable()
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="session")
def needs_lab():
    """Skips, with the reason, where namespaces cannot be made."""
    reason = network.why_unavailable()
    if reason:
        pytest.skip(reason)
