"""A player's buffer, which shows or discards frames by their arrival. No I/O, no clock; times are
seconds."""

import math
from dataclasses import dataclass

TOLERANCE = 0.02  # VLC's VOUT_DISPLAY_LATE_THRESHOLD


@dataclass
class Playing:
    began: float = math.inf  # when the first frame was shown
    discards: int = 0  # frames that arrived after their time
    underflows: int = 0  # number of times that the buffer ran empty
    stalled: float = 0.0  # seconds for which playback stopped
    shown: int = 0


def play(arrived, due, ready, patience, tolerance=TOLERANCE):
    """`arrived[i]`: arrival of the last byte of frame i, infinite if it never arrived. `due[i]`: its
    place on the media timeline. `ready(i)`: when there is enough data to begin to play at frame i. A
    frame that is late by up to `patience` is discarded, and the first in a row is an underflow; a
    later one stops the player until there is enough data again."""
    found = Playing()
    found.began = ready(0)
    if found.began == math.inf:
        return found
    offset, was_late = found.began - due[0], False
    for index, came in enumerate(arrived):
        late = came - (offset + due[index])
        is_late = late > tolerance
        if is_late and not was_late:
            found.underflows += 1
        if late > patience:
            begin = ready(index)
            if begin == math.inf:
                break
            found.stalled += begin - due[index] - offset
            offset, is_late = begin - due[index], False
        if is_late:
            found.discards += 1
        else:
            found.shown += 1
        was_late = is_late
    return found
