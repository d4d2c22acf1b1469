"""The files in which users say what tools and roles their skills may use, beside those that are known."""

from pathlib import Path

import platformdirs

from loopwright.domain.errors import Invalid

FOLDER = "catalogue"


def read(project: Path) -> tuple[tuple[str, str], ...]:
    """(file, text) of each, the user's before the project's, which come to hold where both name a tool.

    Invalid for one that can not be read.
    """
    folders = (Path(platformdirs.user_config_dir("loopwright")) / FOLDER, project / ".loopwright" / FOLDER)
    return tuple((str(file), _text(file)) for folder in folders for file in sorted(folder.glob("*.toml")))


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"{file}: can not be read: {error}") from error
