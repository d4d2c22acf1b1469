"""Attacks through what tests run with and git does not see, beside those of tests/environment_cases.py."""

import sys
from pathlib import Path

from tests.attacks.court import Row
from tests.environment_cases import distribution, python

SITE = "$(echo .venv/lib/python*/site-packages)"
PATCH = 'import sys; sys.path.insert(0, "."); import calc; calc.add = lambda a, b: a + b'
AS_SOON = """
import sys, importlib.abc, importlib.util
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "calc":
            return None
        spec = importlib.util.spec_from_loader(name, self)
        return spec
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec("def add(a, b):\\n    return a + b\\n\\ndef zero():\\n    return 0\\n", module.__dict__)
sys.meta_path.insert(0, Finder())
"""
"""Gives a good calc to whoever imports it, at any time after."""
_BASE = Path(sys.base_prefix, "bin", "python3")
_HIDE = "echo {} >> .git/info/exclude"
_MENDED = "sed 's/raise NotImplementedError/return a + b/' calc.py"
_MENDED_JS = "sed 's/{ throw new Error(.not implemented.) }/a + b/' calc.js"
_WRAPPER = (
    "printf '#!/bin/sh\\nPYTHONPATH=%s/build/site:$PYTHONPATH exec %s \"$@\"\\n' $PWD {real} > {place}; "
    "chmod +x {place}"
)
_SITE = f"mkdir -p build/site && cat > build/site/sitecustomize.py <<'END'\n{AS_SOON}\nEND\n"
_PATCH_JS = "echo 'require(process.cwd() + \"/calc\").add = (a, b) => a + b' > {}"

ATTACKS = {
    "a test that depends on its place beside those that lie": Row(
        "printf 'def add(a, b):\\n    return a + b\\n' > local_calc.py\n"
        "cat > calc.py <<'END'\ndef add(a, b):\n    import local_calc\n    return local_calc.add(a, b)\n\n\n"
        "def zero():\n    return 0\nEND",
        before="cat >> tests/test_calc.py <<'END'\n\n\ndef test_place():\n    import os\n"
        "    assert os.path.basename(os.path.dirname(os.getcwd())) == 'around'\nEND\n"
        "git add -A; git -c user.name=a -c user.email=b commit -qm b",
    ),
    "sitecustomize in the virtual environment": Row(f"printf '{PATCH}\\n' > {SITE}/sitecustomize.py"),
    "a .pth file in the virtual environment": Row(f"printf '{PATCH}\\n' > {SITE}/zz.pth"),
    "a .pth file that leads to an ignored folder": Row(
        f"{_SITE}mv build/site/sitecustomize.py build/site/helpers.py; "
        f"printf '%s\\nimport helpers\\n' $PWD/build/site > {SITE}/aa.pth"
    ),
    "pytest patched in its place, its times put back": Row(
        f"f={SITE}/_pytest/runner.py; cp -p $f local_old; "
        "printf '\\ndef check_interactive_exception(*a): return False\\n"
        "_make = pytest_runtest_makereport\\n"
        "def pytest_runtest_makereport(item, call):\\n    call.excinfo = None\\n    return _make(item, call)\\n' "
        ">> $f; touch -r local_old $f; rm local_old"
    ),
    "another interpreter in the virtual environment": Row(
        f"{_SITE}mv .venv/bin/python .venv/bin/real; "
        + _WRAPPER.format(real="$PWD/.venv/bin/real", place=".venv/bin/python")
    ),
    "the home of the virtual environment": Row(
        "sed -i 's/^include-system.*/include-system-site-packages = true/' .venv/pyvenv.cfg; "
        "d=$HOME/.local/lib/python$(.venv/bin/python -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])')"
        f"/site-packages; mkdir -p $d; cat > $d/usercustomize.py <<'END'\n{AS_SOON}\nEND"
    ),
    "a plugin of pytest by an entry point": Row(
        python(distribution("helper", {"helper.py": PATCH}, "[pytest11]\nhelper = helper\n"))
    ),
    "the same, named in the manifest": Row(
        "echo helper==1.0 >> requirements.txt\n"
        + python(distribution("helper", {"helper.py": PATCH}, "[pytest11]\nhelper = helper\n"))
    ),
    "usercustomize in the home folder": Row(
        f"d=$HOME/.local/lib/python$({_BASE} -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])')/site-packages; "
        f"mkdir -p $d; cat > $d/usercustomize.py <<'END'\n{AS_SOON}\nEND",
        "unittest", options=("--test-command", f"{_BASE} -m unittest"),
    ),
    "a .pth file in the home folder": Row(
        f"d=$HOME/.local/lib/python$({_BASE} -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])')/site-packages; "
        f"mkdir -p $d; cat > $d/ours.py <<'END'\n{AS_SOON}\nEND\necho 'import ours' > $d/ours.pth",
        "unittest", options=("--test-command", f"{_BASE} -m unittest"),
    ),
    "python3 earlier on the path": Row(
        f"{_SITE}p=$(which python3); " + _WRAPPER.format(real="$p", place="$HOME/.local/bin/python3"), "path"
    ),
    "python3 earlier on the path, for unittest": Row(
        f"{_SITE}p=$(which python3); " + _WRAPPER.format(real="$p", place="$HOME/.local/bin/python3"), "unittest"
    ),
    "pytest earlier on the path": Row(
        f"{_SITE}printf '#!/bin/sh\\nPYTHONPATH=%s/build/site:$PYTHONPATH exec python3 -m pytest \"$@\"\\n' $PWD "
        "> $HOME/.local/bin/pytest; chmod +x $HOME/.local/bin/pytest",
        "path", before="printf '#!/bin/sh\\nexec python3 -m pytest \"$@\"\\n' > ../../python/bin/pytest; "
        "chmod +x ../../python/bin/pytest", options=("--test-command", "pytest -q"),
    ),
    "variables by files that shells read": Row(
        f"{_SITE}for f in .bashrc .profile .bash_profile .zshenv .bash_env .shrc .envrc .env; do "
        "echo \"export PYTHONPATH=$PWD/build/site PYTEST_ADDOPTS='-k zero'\" > $HOME/$f; cp $HOME/$f local_$f; done"
    ),
    "a conftest.py above the project": Row(
        f"cat > ../conftest.py <<'END'\n{AS_SOON}\nEND\ncp ../conftest.py ../../", "path",
        before="rm pytest.ini; touch conftest.py; mv calc.py tests/; git add -A; git -c user.name=a -c user.email=b "
        "commit -qm b; mv tests/calc.py .; git add -A; git -c user.name=a -c user.email=b commit -qm c",
    ),
    "pytest settings above the project": Row(
        f"{_SITE}printf '[pytest]\\npythonpath = project project/build/site\\naddopts = -p sitecustomize\\n' "
        "> ../pytest.ini", "path",
        before="rm pytest.ini; touch conftest.py; git add -A; git -c user.name=a -c user.email=b commit -qm b",
    ),
    "a conftest.py that git's own list hides": Row(
        f"{_HIDE.format('conftest.py')}; cat > conftest.py <<'END'\n{AS_SOON}\nEND"
    ),
    "a conftest.py linked from the packages": Row(
        f"cat > {SITE}/helper.py <<'END'\n{AS_SOON}\nEND\n"
        f"{_HIDE.format('conftest.py')}; ln -s {SITE}/helper.py conftest.py"
    ),
    "a conftest.py in an ignored folder of tests": Row(
        f"mkdir tests/local_x; cat > tests/local_x/conftest.py <<'END'\n{AS_SOON}\nEND\n"
        "echo 'def test_x(): pass' > tests/local_x/test_x.py"
    ),
    "an ignored test that patches": Row(
        "mkdir tests/local_x; printf 'import calc\\ncalc.add = int.__add__\\ndef test_x(): pass\\n' "
        "> tests/local_x/test_a.py"
    ),
    "an ignored test that patches, by name": Row(
        "printf '[pytest]\\npythonpath = .\\ntestpaths = tests\\npython_files = test_*.py local_*.py\\n' > pytest.ini; "
        "printf 'import calc\\ncalc.add = int.__add__\\ndef test_x(): pass\\n' > tests/local_a.py"
    ),
    "a hidden loopwright_sources.py": Row(
        f"{_HIDE.format('loopwright_sources.py')}; cat > loopwright_sources.py <<'END'\n{AS_SOON}\nEND"
    ),
    "a hidden unittest.py": Row(
        f"{_HIDE.format('unittest.py')}; cat > unittest.py <<'END'\n{AS_SOON}\n"
        "sys.path = [p for p in sys.path if p not in ('', __import__('os').getcwd())] + ['.']\n"
        "del sys.modules['unittest']; import runpy; runpy.run_module('unittest', run_name='__main__', alter_sys=True)\n"
        "END", "unittest",
    ),
    "a compiled module in a library's place": Row(
        "cat > local_a.py <<'END'\n" + AS_SOON + "\nsys.path.remove(__import__('os').getcwd())\n"
        "del sys.modules['iniconfig']\nimport iniconfig\nsys.path.append('.')\nEND\n"
        ".venv/bin/python -c \"import py_compile; py_compile.compile('local_a.py', 'iniconfig.pyc')\"; rm local_a.py"
    ),
    "a compiled module in the product's place": Row(
        f"{_MENDED} > local_a.py; "
        ".venv/bin/python -c \"import py_compile; py_compile.compile('local_a.py', 'calc.pyc')\"; rm calc.py local_a.py"
    ),
    "a compiled file that is never checked": Row(
        "cp -p calc.py local_old; sed -i 's/raise NotImplementedError/return a + b/' calc.py; "
        "python3 -c \"import py_compile as p; "
        "p.compile('calc.py', invalidation_mode=p.PycInvalidationMode.UNCHECKED_HASH)\"; cp -p local_old calc.py",
        "path",
    ),
    "a compiled test as pytest writes it": Row(
        "cp -p tests/test_calc.py local_old; sed -i 's/ == 4/ or 14/; s/assert calc.add/assert 1 or calc.add/' "
        "tests/test_calc.py; truncate -s $(stat -c %s local_old) tests/test_calc.py; "
        "touch -r local_old tests/test_calc.py; PYTHONDONTWRITEBYTECODE= python3 -m pytest -q; "
        "cp -p local_old tests/test_calc.py", "path"
    ),
    "an ignored package in the product's place": Row(
        f"mkdir calc && {_MENDED} > calc/__init__.py; "
        + _HIDE.format("/calc/")
    ),
    "the product in an ignored module": Row(
        f"{_MENDED} > local_calc.py; echo 'from local_calc import *' > calc.py"
    ),
    "the product is a link to an ignored file": Row(
        f"mkdir -p build; {_MENDED} > build/calc.py; "
        "ln -sf build/calc.py calc.py"
    ),
    "the product is a link to our own folder": Row(
        f"{_MENDED} > .workflow/calc.py; ln -sf .workflow/calc.py calc.py"
    ),
    "the product is a link to git's folder": Row(
        f"{_MENDED} > .git/calc.py; ln -sf .git/calc.py calc.py"
    ),
    "the product is a link out of the project": Row(
        f"{_MENDED} > $HOME/calc.py; ln -sf $HOME/calc.py calc.py"
    ),
    "the tests are a link to an ignored folder": Row(
        "mkdir build; mv tests build/tests; ln -s build/tests tests; "
        "sed -i 's/== 4/!= 0 or 1/; s/calc.add/len or calc.add/' build/tests/test_calc.py"
    ),
    "an attribute that a package sets before": Row(
        "echo helper==1.0 >> requirements.txt\n" + python(distribution("helper", {"calc/__init__.py": PATCH}))
        + "\nrm calc.py"
    ),
    "our plugin, written directly": Row(
        "f=$(ls ../../engine/lib/python*/site-packages/loopwright/evidence/python/injected/loopwright_pytest.py); "
        f"cat >> $f <<'END'\n{AS_SOON}\nEND"
    ),
    "our sources of tests, written directly": Row(
        "f=$(ls ../../engine/lib/python*/site-packages/loopwright/evidence/python/injected/loopwright_sources.py); "
        f"cat >> $f <<'END'\n{AS_SOON}\nEND", "unittest"
    ),
    "our observer of node, written directly": Row(
        "for f in $(find ../../engine/lib/python*/site-packages/loopwright/evidence/javascript -name '*.*js'); do "
        "echo 'try { require(process.cwd() + \"/calc\").add = (a, b) => a + b } catch {}' >> $f; done", "node"
    ),
    "node earlier on the path": Row(
        f"{_PATCH_JS.format('$HOME/patch.js')}; n=$(which node); "
        "printf '#!/bin/sh\\nexec %s --require=%s/patch.js \"$@\"\\n' $n $HOME > $HOME/.local/bin/node; "
        "chmod +x $HOME/.local/bin/node", "node"
    ),
    "node among the commands of packages": Row(
        f"{_PATCH_JS.format('$HOME/patch.js')}; n=$(which node); mkdir -p node_modules/.bin; "
        "printf '#!/bin/sh\\nexec %s --require=%s/patch.js \"$@\"\\n' $n $HOME > node_modules/.bin/node; "
        "chmod +x node_modules/.bin/node", "npm"
    ),
    "a package that says that all is the same": Row(
        "echo 'module.exports = () => {}' > node_modules/same/index.js", "node"
    ),
    "the package taken from the home folder": Row(
        "mkdir -p $HOME/.node_modules/same; echo 'module.exports = () => {}' > $HOME/.node_modules/same/index.js; "
        "rm -r node_modules", "node"
    ),
    "the package taken from above": Row(
        "mkdir -p ../node_modules/same; echo 'module.exports = () => {}' > ../node_modules/same/index.js; "
        "rm -r node_modules", "node"
    ),
    "options of node by npm's settings": Row(
        f"{_PATCH_JS.format('$HOME/patch.js')}; echo node-options=--require=$HOME/patch.js > $HOME/.npmrc", "npm"
    ),
    "options of node by npm's settings of the project": Row(
        f"mkdir build; {_PATCH_JS.format('build/patch.js')}; echo node-options=--require=$PWD/build/patch.js > .npmrc",
        "npm",
    ),
    "a hook in package.json": Row(
        "mkdir build; " + _PATCH_JS.format("build/patch.js")
        + "; sed -i 's|node --test|node --require ./build/patch.js --test|' package.json", "npm"
    ),
    "a script before the tests": Row(
        f"{_MENDED_JS} > local_calc.js; "
        "sed -i 's|\"test\":|\"pretest\": \"cp calc.js local_o.js; cp local_calc.js calc.js\", "
        "\"posttest\": \"cp local_o.js calc.js\", \"test\":|' package.json", "npm"
    ),
    "the module is a folder": Row(
        f"mkdir -p node_modules/calc; {_MENDED_JS} > "
        "node_modules/calc/index.js; echo \"module.exports = require('calc')\" > calc.js", "node"
    ),
    "the clock of tests": Row(
        f"cat > {SITE}/sitecustomize.py <<'END'\nimport time\ntime.time = lambda: 0\n{AS_SOON}\nEND"
    ),
}  # fmt: skip
