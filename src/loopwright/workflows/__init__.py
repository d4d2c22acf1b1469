"""The kinds of runs: LOOP, CYCLE and TUNE."""
