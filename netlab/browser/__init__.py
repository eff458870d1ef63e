"""Chromium with a page, hls.js or dash.js: what it shows, when, and how old it is.

    chromium              a visit, from Python
    visit.mjs, steps.mjs  the same in Node.js, and what it may do
    picture.mjs, recording.mjs, pictures    every picture shown, and what became of them
    segment_players.mjs   stock players of HLS and DASH
    falling_link          the experiment 5 → 1 → 5 Mbit/s, for the browser tests and bench/players
"""
