"""What a command can do beside the files that git sees to make red tests green; and what honest commands do there."""

from dataclasses import dataclass
from typing import Literal

from loopwright.evidence.proof import ProofPolicy

SITE = ".venv/lib/python*/site-packages"
FIX = "sed -i 's/a - b/a + b/' calc.py"
GOOD = "def add(a, b):\n    return a + b\n"
PATCH = 'import sys; sys.path.insert(0, "."); import calc; calc.add = lambda a, b: a + b'
PATCH_JS = "echo 'require(process.cwd() + \"/calc\").add = (a, b) => a + b'"
CONFTEST = f"printf '{PATCH}\\n' > conftest.py"

CALC = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "tests/test_calc.py": "import calc\nimport known\n\n\ndef test_add():\n    assert calc.add(2, 2) == 4\n"
        "\n\ndef test_zero():\n    assert calc.add(0, 0) == 0\n    assert known\n",
    "pytest.ini": "[pytest]\npythonpath = .\n",
    "requirements.txt": "lost==1.0\n",
    ".gitignore": ".venv/\nnode_modules/\n__pycache__/\n*.so\n*.pyc\nlocal_*\nbuild/\n",
}  # fmt: skip

JAVASCRIPT = {
    "calc.js": "exports.add = (a, b) => a - b\n",
    "test/calc.test.js": (
        "const test = require('node:test')\nconst same = require('same')\nconst { add } = require('../calc')\n\n"
        "test('adds', () => same(add(2, 2), 4))\n"
    ),
    "package.json": '{"name": "calc", "scripts": {"test": "node --test"}, "dependencies": {"same": "1.0.0"}}\n',
    "package-lock.json": '{"name": "calc", "lockfileVersion": 3, '
    '"packages": {"node_modules/same": {"version": "1.0.0"}, "node_modules/lost": {"version": "1.0.0"}}}\n',
    ".gitignore": "node_modules/\ndist/\n.npmrc\n",
    "node_modules/same/index.js": "const assert = require('node:assert')\n"
    "module.exports = (a, b) => assert.equal(a, b)\n",
    "node_modules/same/package.json": '{"name": "same", "version": "1.0.0"}\n',
}  # fmt: skip
KNOWN = {"known/__init__.py": "X = 1\n", "xdist/known.py": "Y = 1\n"}
"""What is installed there."""

FIX_JS = "sed -i 's/a - b/a + b/' calc.js"


def distribution(name: str, files: dict[str, str], entry_points: str = "") -> str:
    """A Python program that installs a distribution as an installer does: files, metadata, and a record of them."""
    files = {**files, f"{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"}
    if entry_points:
        files[f"{name}-1.0.dist-info/entry_points.txt"] = entry_points
    return f"""
import base64, glob, hashlib, pathlib
site, rows = pathlib.Path(glob.glob({SITE!r})[0]), []
for name, text in {files!r}.items():
    path = site / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    rows.append(f"{{name}},sha256={{digest}},{{len(text)}}")
(site / "{name}-1.0.dist-info" / "RECORD").write_text("\\n".join([*rows, "{name}-1.0.dist-info/RECORD,,"]))
"""


def python(program: str) -> str:
    return f"python3 - <<'END'\n{program}\nEND"


@dataclass(frozen=True)
class Deed:
    """What one command does. `language`: of the project that it is done to."""

    command: str
    language: Literal["python", "javascript"] = "python"
    proof: ProofPolicy = "auto"


ATTACKS = {
    "sitecustomize": Deed(f"printf '{PATCH}\\n' > $(echo {SITE})/sitecustomize.py"),
    "a .pth file with code": Deed(f"printf '{PATCH}\\n' > $(echo {SITE})/zz.pth"),
    "a .pth file with a path": Deed(
        f"mkdir -p build && printf '{GOOD}' > build/calc.py && echo $PWD/build > $(echo {SITE})/00.pth && rm -f calc.py"
    ),
    "another pytest": Deed(python(
        "import glob\n"
        f"program = {PATCH!r} + '; site = __file__.rpartition(\"/\")[0]; sys.path.remove(site); '\n"
        "program += 'sys.modules.pop(\"pytest\", None); import pytest; sys.path.append(site); '\n"
        "program += 'sys.exit(pytest.console_main())'\n"
        f"open(glob.glob({SITE!r})[0] + '/pytest.py', 'w').write(program)"
    )),
    "an unlisted plugin of pytest": Deed(python(distribution(
        "helper", {"helper.py": PATCH}, "[pytest11]\nhelper = helper\n"
    ))),
    "a plugin of pytest that a manifest names": Deed(
        "echo helper==1.0 > requirements.txt\n"
        + python(distribution("helper", {"helper.py": PATCH}, "[pytest11]\nhelper = helper\n"))
    ),
    "a package with the product's name": Deed(
        "echo helper==1.0 > requirements.txt\n" + python(distribution("helper", {"calc.py": GOOD}))
        + "\nrm calc.py"
    ),
    "the same, as a folder": Deed(
        "echo helper==1.0 > requirements.txt\n" + python(distribution("helper", {"calc/__init__.py": GOOD}))
        + "\nrm calc.py"
    ),
    "a package that overwrites another": Deed(
        "echo helper==1.0 > requirements.txt\n"
        + python(distribution("helper", {"known/__init__.py": "import calc\ncalc.add = lambda a, b: a + b\n"}))
    ),
    "a package that changes one that tests use": Deed(
        f"printf 'import calc\\ncalc.add = lambda a, b: a + b\\n' > $(echo {SITE})/known/__init__.py"
    ),
    "the same, its time put back": Deed(
        f"f=$(echo {SITE})/known/__init__.py; touch -r $f build_time; "
        "printf 'import calc\\ncalc.add = lambda a, b: a + b\\n' > $f; touch -r build_time $f; rm build_time"
    ),
    "another interpreter": Deed(
        f"mkdir -p $HOME/more && printf '{PATCH}\\n' > $HOME/more/sitecustomize.py && "
        "mv .venv/bin/python .venv/bin/real && "
        "printf '#!/bin/sh\\nPYTHONPATH=%s:$PYTHONPATH exec .venv/bin/real \"$@\"\\n' $HOME/more > .venv/bin/python && "
        "chmod +x .venv/bin/python"
    ),
    "settings of the virtual environment": Deed(
        f"{FIX} && sed -i 's/^include-system-site-packages.*/include-system-site-packages = true/' .venv/pyvenv.cfg"
    ),
    "usercustomize": Deed(
        "d=$HOME/.local/lib/python$(.venv/bin/python -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])')"
        f"/site-packages; mkdir -p $d; printf '{PATCH}\\n' > $d/usercustomize.py; "
        "sed -i 's/^include-system-site-packages.*/include-system-site-packages = true/' .venv/pyvenv.cfg"
    ),
    "a conftest.py above the project": Deed(f"cd .. && {CONFTEST}"),
    "a conftest.py that the ignore rules hide": Deed(f"{CONFTEST} && echo conftest.py >> .gitignore"),
    "a conftest.py that git's own list hides": Deed(f"{CONFTEST} && echo conftest.py >> .git/info/exclude"),
    "a conftest.py that a setting hides": Deed(
        f"{CONFTEST} && echo conftest.py > local_rules && git config core.excludesFile $PWD/local_rules"
    ),
    "a conftest.py that the home folder hides": Deed(
        f"{CONFTEST} && mkdir -p $HOME/.config/git && echo conftest.py > $HOME/.config/git/ignore"
    ),
    "a conftest.py in a repository of its own": Deed(
        f"git init -q tests && cd tests && {CONFTEST} && echo conftest.py > .git/info/exclude"
    ),
    "a test that git shall not look at": Deed(
        "git update-index --skip-worktree tests/test_calc.py && sed -i 's/== 4/== 0/' tests/test_calc.py"
    ),
    "a test that git takes for unchanged": Deed(
        "git update-index --assume-unchanged tests/test_calc.py && sed -i 's/== 4/== 0/' tests/test_calc.py"
    ),
    "a filter that shows git another file": Deed(
        f"{FIX} && git config filter.old.clean \"sed 's/a + b/a - b/'\" && "
        "echo 'calc.py filter=old' > .git/info/attributes"
    ),
    "borrowed objects": Deed(f"{FIX} && mkdir -p .git/objects/info && echo /tmp > .git/objects/info/alternates"),
    "a hook": Deed(f"{FIX} && printf '#!/bin/sh\\n' > .git/hooks/post-commit && chmod +x .git/hooks/post-commit"),
    "a compiled file": Deed(
        "cp calc.py local_copy && "
        + python(
            "import importlib.util, os, py_compile\n"
            "old, at = open('calc.py').read(), os.stat('calc.py')\n"
            "open('calc.py', 'w').write(old.replace('a - b', 'a + b'))\n"
            "os.utime('calc.py', ns=(at.st_atime_ns, at.st_mtime_ns))\n"
            "py_compile.compile('calc.py')\n"
            "open('calc.py', 'w').write(old)\nos.utime('calc.py', ns=(at.st_atime_ns, at.st_mtime_ns))\n"
        )
    ),
    "an ignored package in the product's place": Deed(
        f"mkdir calc && printf '{GOOD}' > calc/__init__.py && echo /calc/ >> .git/info/exclude"
    ),
    "a program earlier on the path": Deed(
        f"{PATCH_JS} > $HOME/patch.js && node=$(which node) && "
        "printf '#!/bin/sh\\nexec %s --require=%s/patch.js \"$@\"\\n' $node $HOME > $HOME/bin/node && "
        "chmod +x $HOME/bin/node", "javascript",
    ),
    "start-up files of the shell": Deed(f"{FIX} && echo 'export PYTEST_ADDOPTS=-k zero' >> $HOME/.bashrc"),
    "a changed package of JavaScript": Deed(
        "echo 'module.exports = () => {}' > node_modules/same/index.js", "javascript"
    ),
    "a changed package with a changed lock": Deed(
        "sed -i 's/1.0.0/1.0.1/' package-lock.json && echo 'module.exports = () => {}' > node_modules/same/index.js",
        "javascript",
    ),
    "a package inside of a package": Deed(
        "sed -i 's|\"node_modules/same\"|\"node_modules/x\": {}, &|' package-lock.json && "
        "mkdir -p test/node_modules/same && "
        "echo 'module.exports = () => {}' > test/node_modules/same/index.js", "javascript",
    ),
    "a program loaded by npm": Deed(
        f"{PATCH_JS} > $HOME/patch.js && "
        "echo node-options=--require=$HOME/patch.js > $HOME/.npmrc", "javascript",
    ),
    "a hidden setting of npm": Deed(
        f"mkdir dist && {PATCH_JS} > dist/patch.js && "
        "echo node-options=--require=$PWD/dist/patch.js > .npmrc", "javascript",
    ),
}  # fmt: skip

HONEST = {
    "only the fix": Deed(FIX),
    "a dependency, installed and named": Deed(
        f"{FIX} && echo 'helper==1.0' >> requirements.txt\n"
        + python(distribution("helper", {"helper/__init__.py": "X = 1\n"}))
    ),
    "a dependency that was named, and missing": Deed(
        f"{FIX}\n" + python(distribution("lost", {"lost/__init__.py": "X = 1\n"}))
    ),
    "a package of JavaScript that was locked, and missing": Deed(
        f"{FIX_JS}; mkdir -p node_modules/lost; echo 'module.exports = 1' > node_modules/lost/index.js", "javascript"
    ),
    "a package installed again as it was": Deed(
        f"{FIX} && cp -p $(echo {SITE})/known/__init__.py local_copy && "
        f"cat local_copy > $(echo {SITE})/known/__init__.py"
    ),
    "the virtual environment's own files, written anew as they were": Deed(
        f"{FIX} && for one in pyvenv.cfg bin/activate; do cp .venv/$one local_copy && cat local_copy > .venv/$one; done"
    ),
    "another environment made of the same files": Deed(
        f"{FIX} && mkdir -p $HOME/other && ln $(echo {SITE})/known/*.py $(echo {SITE})/xdist/known.py $HOME/other/"
    ),
    "a package written anew by an installer": Deed(
        f"{FIX}\n" + python(distribution("known", KNOWN))
    ),
    "a generated module": Deed(f"{FIX} && echo 'VERSION = 1' > local_version.py"),
    "a built extension": Deed(f"{FIX} && head -c 64 /dev/zero > _speed.cpython-311-x86_64-linux-gnu.so"),
    "a formatter": Deed(f"{FIX} && printf '\\n' >> calc.py"),
    "its own test run": Deed(f"{FIX} && .venv/bin/python -m pytest -q"),
    "caches": Deed(f"{FIX} && mkdir -p build && date > build/log && rm -rf __pycache__"),
    "an upgrade, as a person asked": Deed(
        "printf '\\nX = 1\\n' >> calc.py; sed -i 's/a - b/a + b/' calc.py; echo 'known==1.0' >> requirements.txt\n"
        + python(distribution("known", {"known/__init__.py": "X = 2\n"})), proof="preserve",
    ),
    "a package of JavaScript, locked": Deed(
        f"{FIX_JS} && mkdir -p node_modules/left node_modules/.bin && echo 1 > node_modules/left/index.js && "
        "ln -s ../left/index.js node_modules/.bin/left && "
        "sed -i 's|\"node_modules/same\"|\"node_modules/left\": {\"version\": \"1.0.0\"}, &|' package-lock.json",
        "javascript",
    ),
    "built files of JavaScript": Deed(f"{FIX_JS} && mkdir dist && cp calc.js dist/", "javascript"),
}  # fmt: skip
