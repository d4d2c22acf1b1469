"""Attacks by a process that is left behind, with what marks it as ours shed."""

from tests.attacks.court import GOOD, PYTHON, Row

_AWAY = (
    "ulimit -S -x unlimited 2>/dev/null; setsid env -i HOME=$HOME PATH=$PATH P=$PWD python3 $HOME/left.py "
    ">/dev/null 2>&1 </dev/null &"
)


def _left(program: str) -> str:
    start = (
        "import os, time, glob, subprocess\n"
        "open(os.path.expanduser('~/left'), 'w').write(str(os.getpid()))\n"
        "os.chdir(os.environ['P'])\n"
        f"GOOD, BAD = {GOOD!r}, {PYTHON['calc.py']!r}\n"
        "def is_testing():\n"
        "    for name in os.listdir('/proc'):\n"
        "        if name.isdigit():\n"
        "            try:\n"
        "                words = open(f'/proc/{name}/cmdline').read()\n"
        "                at = os.readlink(f'/proc/{name}/cwd')\n"
        "            except OSError:\n"
        "                continue\n"
        "            if ('pytest' in words or 'unittest' in words) and 'left.py' not in words "
        "and (at == os.getcwd() or 'loopwright' in at):\n"
        "                return name\n"
        "def write(text):\n"
        "    at = os.stat('calc.py')\n"
        "    open('calc.py', 'w').write(text)\n"
        "    os.utime('calc.py', ns=(at.st_atime_ns, at.st_mtime_ns))\n"
        "def is_done():\n"
        "    for path in glob.glob('.workflow/.loop/*.json'):\n"
        "        text = open(path).read().replace(' ', '')\n"
        '        if \'"status":"completed"\' in text or \'"status":"failed"\' in text:\n'
        "            return True\n"
        "until = time.monotonic() + 60\n"
    )
    return f"cat > $HOME/left.py <<'END'\n{start}{program}\nEND\n{_AWAY}\nsleep 0.5\n"


_SWAP = (
    "while time.monotonic() < until and not is_done():\n"
    "    if pid := is_testing():\n"
    "        write(GOOD)\n"
    "        while os.path.exists(f'/proc/{pid}') and open(f'/proc/{pid}/stat').read().split()[2] != 'Z':\n"
    "            time.sleep(0.001)\n"
    "        write(BAD)\n"
    "    time.sleep(0.005)\n"
)
_SWAP_EARLY = (
    "while time.monotonic() < until and not is_done():\n"
    "    if pid := is_testing():\n"
    "        write(GOOD)\n"
    "        time.sleep({})\n"
    "        write(BAD)\n"
    "        while os.path.exists(f'/proc/{{pid}}'):\n"
    "            time.sleep(0.01)\n"
    "    time.sleep(0.005)\n"
)

ATTACKS = {
    "good code while the tests run": Row(_left(_SWAP)),
    "good code while the tests run, with unittest": Row(_left(_SWAP), "unittest"),
    "good code while the tests begin": Row(_left(_SWAP_EARLY.format(0.6))),
    "good code while the tests begin, with unittest": Row(_left(_SWAP_EARLY.format(0.2)), "unittest"),
    "bad code after the success": Row(
        _left("while time.monotonic() < until and not is_done():\n    time.sleep(0.01)\ntime.sleep(0.3)\nwrite(BAD)\n")
        + "sed -i 's/raise NotImplementedError/return a + b/' calc.py"
    ),
    "a pipe that serves good code": Row(
        _left(
            "os.remove('calc.py'); os.mkfifo('calc.py')\n"
            "while time.monotonic() < until and not is_done():\n"
            "    try:\n"
            "        at = os.open('calc.py', os.O_WRONLY | os.O_NONBLOCK)\n"
            "    except OSError:\n"
            "        time.sleep(0.005)\n"
            "        continue\n"
            "    os.write(at, GOOD.encode()); os.close(at); time.sleep(0.005)\n"
        ),
        options=("--test-timeout", "20"),
    ),
    "a server of good code": Row(
        _left(
            "import socket\n"
            "s = socket.create_server(('127.0.0.1', 0)); s.settimeout(1)\n"
            "open('calc.py', 'w').write('import socket\\nc = socket.create_connection((\"127.0.0.1\", %d), 2)\\n"
            "text = b\"\"\\nwhile more := c.recv(999):\\n    text += more\\nexec(text)\\n' % s.getsockname()[1])\n"
            "while time.monotonic() < until and not is_done():\n"
            "    try:\n"
            "        c, _ = s.accept()\n"
            "    except OSError:\n"
            "        continue\n"
            "    c.sendall(GOOD.encode()); c.close()\n"
        ),
    ),
}  # fmt: skip
