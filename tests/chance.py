"""The seed of every random choice in the suite: LOOPWRIGHT_SEED repeats a run."""

import os
import random

SEED = int(os.environ.get("LOOPWRIGHT_SEED", random.SystemRandom().randrange(10**6)))
