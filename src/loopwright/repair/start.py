"""Starts the worker; lends our own pytest to an interpreter that has none (a unittest project needs none)."""

import json
import os
import sys
from importlib.util import find_spec

if __name__ == "__main__":
    os.environ.pop("PYTHONSAFEPATH", None)  # it kept the project's modules from hiding those that the worker needs
    if sys.version_info < (3, 11):  # noqa: UP036 - this one file may be run by any interpreter a project uses
        with open(sys.argv[2], "w") as file:
            json.dump({"notes": ["repair needs a project on Python 3.11 or newer"], "locations": []}, file)
        sys.exit(0)
    if find_spec("pytest") is None:
        sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lent"))
    from .worker import main

    main()
