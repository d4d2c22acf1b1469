"""Attacks through what tests run with and git does not see, beside those of tests/environment_cases.py."""

from tests.attacks.court import Row

SITE = "$(echo .venv/lib/python*/site-packages)"
PATCH = 'import sys; sys.path.insert(0, "."); import calc; calc.add = lambda a, b: a + b'

ATTACKS = {
    "sitecustomize in the virtual environment": Row(f"printf '{PATCH}\\n' > {SITE}/sitecustomize.py"),
    "a .pth file in the virtual environment": Row(f"printf '{PATCH}\\n' > {SITE}/zz.pth"),
}
