"""Projects with the real command in them, as the tests of the command line have them."""

from tests.cli.conftest import desk as desk
