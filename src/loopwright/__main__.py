"""The command's entry: `--version` is answered before anything else is imported."""

import sys


def main() -> None:
    if sys.argv[1:] in (["--version"], ["-V"]):
        from loopwright import __version__

        print(f"loopwright {__version__}")
        return
    from loopwright.cli.main import run_command_line

    run_command_line()


if __name__ == "__main__":
    main()
