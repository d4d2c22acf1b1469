"""Loaded by every Python process in a copy of the project, before anything of the project is."""

import os
import sys

try:
    import loopwright_reach  # type: ignore[import-not-found]  # it lies beside this folder

    loopwright_reach.start_child()
finally:
    # The sitecustomize that would have been loaded without us follows.
    here = os.path.dirname(os.path.abspath(__file__))
    kept = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != here]
    whole, sys.path[:] = list(sys.path), kept
    own = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # type: ignore[import-not-found]  # noqa: F401  # there may be one
    except ImportError:
        if own is not None:
            sys.modules["sitecustomize"] = own
    finally:
        sys.path[:] = whole
