"""What scripts take, as their text says it."""

import pytest

from loopwright.tune.reading.shell.script_options import takes

ARGPARSE = 'parser.add_argument("-m", "--month", required=True)\nparser.add_argument("--dry-run")\n'
COMMANDS = 'sub.add_parser("list")\nsub.add_parser("promote", aliases=["lift"])\n'


def test_the_options_of_argparse_are_known() -> None:
    known = takes(ARGPARSE)
    assert known is not None
    assert known.options == {"--month", "--dry-run"}
    assert known.commands == frozenset()


def test_commands_and_their_other_names_are_known() -> None:
    known = takes(COMMANDS)
    assert known is not None
    assert known.commands == {"list", "promote", "lift"}


def test_a_script_of_node_takes_what_its_text_names() -> None:
    known = takes("const all = process.argv.slice(2);\nif (all.includes('--ensure-dirs')) make();\n")
    assert known is not None
    assert known.options == {"--ensure-dirs"}


@pytest.mark.parametrize(
    "text",
    [
        "print(1)\n",
        ARGPARSE + "parser.parse_known_args()\n",
        'exec tool "$@" --fast\n',
        "import fire\nfire.Fire(main)\n",
    ],
)
def test_of_what_takes_nothing_or_hands_it_on_nothing_is_known(text: str) -> None:
    assert takes(text) is None
