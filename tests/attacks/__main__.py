"""Tries rows and prints each verdict: `python -m tests.attacks [PART OF A NAME]…`; all of them without any."""

import sys
import tempfile
from pathlib import Path

from tests.attacks.court import try_row
from tests.attacks.rows import ATTACKS, HONEST


def main() -> int:
    wanted, wrong = sys.argv[1:], 0
    for name, row in {**ATTACKS, **HONEST}.items():
        if wanted and not any(part in name for part in wanted):
            continue
        with tempfile.TemporaryDirectory(prefix="loopwright-attack-", ignore_cleanup_errors=True) as place:
            verdict = try_row(row, Path(place))
        is_wrong = verdict.got_through if name in ATTACKS else not verdict.is_honest_success
        wrong += is_wrong
        state = ", broken" if verdict.is_broken else ""
        print(f"{'✗' if is_wrong else '✓'} {name}: {verdict.outcome}{state} ({verdict.seconds:.1f} s)")
        for words in (*verdict.incidents, verdict.reason):
            print(f"      {words[:300]}") if words else None
        sys.stdout.flush()
    print(f"{wrong} wrong")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
