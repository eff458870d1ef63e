"""Chromium with a page, hls.js or dash.js, which reports each picture it shows and its age.

    chromium              a visit, from Python
    visit.mjs, steps.mjs  the same in Node.js, and its steps
    picture.mjs, recording.mjs, pictures    every picture shown; stalls and ages
    segment_players.mjs   stock players of HLS and DASH
    falling_link          the experiment 5 → 1 → 5 Mbit/s, for the browser tests and bench/players
"""
