"""Capacities of mobile links, made from a seed: a Markov chain of radio conditions, each with
log-normal fading around its rate, and short interruptions. The constants are chosen, not recorded, with
magnitudes as in published drive tests (rates within a second, handovers of 0.2 to 0.5 s)."""

import math
import random
from dataclasses import dataclass

TICK = 0.1  # seconds: a scheduler's share changes at least this often


@dataclass(frozen=True)
class Radio:
    states: tuple  # bit/s, from worse to better
    stay: float  # seconds, mean time in a state before a change to a neighbouring one
    fading: float  # standard deviation of the rate's natural logarithm, from tick to tick
    interruption: float  # probability per second
    interrupted: tuple  # shortest and longest interruption, seconds
    left: float  # bit/s during an interruption


# A cell at the edge of town: a few Mbit/s, deep fades, handovers.
LTE = Radio(states=(0.8e6, 2e6, 4e6, 7e6, 12e6), stay=2.0, fading=0.25, interruption=0.04,
            interrupted=(0.2, 0.5), left=0.15e6)
# 5G or Wi-Fi: fast, and sometimes blocked by a wall or a hand.
FAST = Radio(states=(3e6, 8e6, 20e6, 40e6), stay=1.5, fading=0.15, interruption=0.15,
             interrupted=(0.1, 1.0), left=1.2e6)
# Steady, but the receiver scans for other access points now and then, and packets wait meanwhile.
SCANNING = Radio(states=(8e6,), stay=1.0, fading=0.0, interruption=0.5, interrupted=(0.05, 0.2),
                 left=0.01e6)


def mobile_trace(radio, seconds, seed):
    """[(seconds, bit/s)], one for each tick; a seed always gives the same trace."""
    chance = random.Random(seed)
    state = chance.randrange(len(radio.states))
    interrupted_until = 0.0
    trace = []
    for tick in range(math.ceil(seconds / TICK)):
        at = tick * TICK
        if chance.random() < TICK / radio.stay:
            state = min(len(radio.states) - 1, max(0, state + chance.choice((-1, 1))))
        if at >= interrupted_until and chance.random() < TICK * radio.interruption:
            interrupted_until = at + chance.uniform(*radio.interrupted)
        rate = radio.states[state] * math.exp(chance.gauss(0, radio.fading))
        trace.append((at, min(rate, radio.left) if at < interrupted_until else rate))
    return trace
