"""A player's buffer: what becomes of pictures that arrive when they do. Pure; times are seconds."""

import math
from dataclasses import dataclass

TOLERANCE = 0.02  # VLC's VOUT_DISPLAY_LATE_THRESHOLD


@dataclass
class Playing:
    began: float = math.inf  # when the first picture was shown
    discards: int = 0  # pictures that came after their time
    underflows: int = 0  # times that the buffer had run empty
    stalled: float = 0.0  # seconds that the player stood still
    shown: int = 0


def play(arrived, due, ready, patience, tolerance=TOLERANCE):
    """`arrived[i]`: when picture i's last byte was there; infinite: never. `due[i]`: its place on
    the media's timeline. `ready(i)`: when there is enough to begin to play at picture i. A picture
    that is late by up to `patience` is discarded, and the first of a row is an underflow; one that
    is later still stops the player until enough is there again."""
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
