#!/bin/sh
# Makes .venv with loopwright alone (editable); `setup.sh tools` adds what its tests and checks need.
# With uv where it is present, else with venv and pip.
set -eu
case "${1:-}" in
    "") what=loopwright stamp=.venv/.ready group= ;;
    tools) what="the development tools" stamp=.venv/.tools group="--group dev" ;;
    *) echo "usage: setup.sh [tools]" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."

find_python() {
    for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11 python; do
        [ -n "$candidate" ] || continue
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "loopwright needs Python 3.11 or newer; none was found. Install one, or name it: make PYTHON=/path/to/python" >&2
    exit 1
}

if command -v uv >/dev/null 2>&1; then
    [ -x .venv/bin/python ] || uv venv --quiet --python '>=3.11' .venv
    uv pip install --quiet --compile-bytecode --python .venv/bin/python --editable . $group
else
    if [ ! -x .venv/bin/python ]; then
        python=$(find_python)
        if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
            version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
            echo "$python has no venv module. On Debian and Ubuntu: apt install python$version-venv; or install uv." >&2
            exit 1
        fi
        echo "Making .venv with $("$python" --version) ..."
        "$python" -m venv .venv
    fi
    echo "Installing $what into .venv ..."
    [ -z "$group" ] || .venv/bin/python -m pip install --quiet --upgrade 'pip>=25.1'  # it knows groups
    .venv/bin/python -m pip install --quiet --editable . $group
fi
touch "$stamp"
