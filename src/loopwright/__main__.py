"""The command's entry: `--version` is answered before anything else is imported."""

import contextlib
import os
import sys


def main() -> None:
    """Also while modules are loaded, Ctrl-C is no accident that needs a traceback."""
    try:
        _answer_version()
        _answer_from_kept()
        _run()
    except KeyboardInterrupt:
        as_json = "--json" in sys.argv
        words = b'{"success": false, "error": "interrupted"}\n' if as_json else b"loopwright: interrupted\n"
        with contextlib.suppress(OSError):
            os.write(1 if as_json else 2, words)
        os._exit(130)


def _answer_version() -> None:
    if sys.argv[1:] in (["--version"], ["-V"]):
        from loopwright import __version__

        with contextlib.suppress(OSError):  # a full disk, a reader that has gone: the usual way knows what to say
            os.write(1, f"loopwright {__version__}\n".encode())
            sys.exit(0)


def _answer_from_kept() -> None:
    """Where nothing has changed since somebody asked the same."""
    if {"list", "show"}.isdisjoint(sys.argv[1:3]):
        return
    from loopwright.surfaces.cli.kept_answers import answer_command
    from loopwright.surfaces.cli.output import OutputStream, close_output

    if (text := answer_command()) is not None:
        out, sys.stderr = OutputStream(1), OutputStream(2).text()
        sys.stdout = out.text()
        print(text)
        sys.exit(close_output(out, 0))


def _run() -> None:
    import gc

    gc.set_threshold(50_000)  # starting up makes many objects that stay: looking for garbage among them is in vain
    from loopwright.surfaces.cli.main import run_command_line

    try:
        run_command_line()
    finally:
        gc.freeze()  # what is left dies with the process; searching it for cycles took a quarter of a short command


if __name__ == "__main__":
    main()
