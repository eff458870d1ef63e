"""The page at / behind a link that falls from 5 to 1 Mbit/s and returns: the picture goes on."""

import pytest

from falling_link import FallingLink

PHASES = (10, 15, 10)  # seconds before the fall, slow, after the return
LATE_SECONDS = 1  # promised: no picture is older
BACK_SECONDS = 2  # promised: after the return
pytestmark = pytest.mark.usefixtures("needs_chromium", "needs_lab")


def test_progressive_is_near_live_all_along(tmp_path):
    run = FallingLink(tmp_path, "progressive", PHASES)
    assert run.troubles == []
    before, slow, after = run.rates()[1:]
    assert before > 3e6 and after > 3e6, "or else there is no fall"
    assert 0.5e6 < slow < 1.1e6
    ages = run.ages(run.begin, run.end)
    stalls = run.stalls()
    print(f"{max(ages):.2f} s behind live at most; stood {[f'{stall:.2f}' for stall in stalls]} s; "
          f"within {LATE_SECONDS} s {run.back():.1f} s after the return")
    assert stalls == []
    assert max(ages) <= LATE_SECONDS
    assert run.back() <= BACK_SECONDS
