"""A server whose sources all end, each with a reason of its own in the log."""

import contextlib
import re

from netlab.daemon import Daemon, wait_until
from tests.integration.conftest import QUICK

PATIENCE = 120  # seconds
CONFIG = '[source]\nallow = ["127.0.0.0/8"]\nbackoff_min = "10s"\nbackoff_max = "20s"\n' + QUICK


@contextlib.contextmanager
def losing(sources, directory):
    """The server, once it has lost all of {name: (URI, reason)}."""
    words = [word for name, (uri, _) in sources.items() for word in ("--source", f"{name}={uri}")]
    with Daemon(*words, directory=directory, config=CONFIG, sources_play=False) as daemon:
        for name in sources:
            wait_until(lambda: f"source_lost stream={name} " in daemon.log(), PATIENCE, f"the end of {name}")
        yield daemon


def check_reason(log, sources, name):
    """The log has the reason of this source."""
    reason = re.search(rf'source_lost stream={name} .*reason="([^"]*)"', log)
    assert reason and reason[1] == sources[name][1], log
