"""The options of `ladder viewers`."""

import pytest

from bench.ladder import viewers


def test_as_many_groups_as_viewers_is_an_error():
    with pytest.raises(SystemExit, match="--groups must be less than --viewers"):
        viewers.parse(["--viewers=4", "--groups=4"])
    assert viewers.parse(["--viewers=5", "--groups=4"]).groups == 4
