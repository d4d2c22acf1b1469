"""What honest commands do: none of it is refused."""

from tests.attacks.court import FIX, FIX_JS, GOOD, Row

HONEST = {
    "the fix, with pytest of a virtual environment": Row(FIX),
    "the fix, with pytest on the path": Row(FIX, "path"),
    "the fix, with unittest": Row(FIX, "unittest"),
    "the fix, with node": Row(FIX_JS, "node"),
    "the fix, with npm": Row(FIX_JS, "npm"),
    "the fix of an agent": Row(files={"calc.py": GOOD}),
}
