"""Pages of a skill that its agents are told to follow: what these tell to do, they do."""

import re
from collections.abc import Iterator

from loopwright.tune.skill.model import Skill
from loopwright.tune.skill.once import once

_ENDS = r"(?![\w.*-])"


@once
def handed(skill: Skill) -> Iterator[str]:
    """Paths of pages whose name, or whose folder, stands in the prompt of a call that starts an agent."""
    told = [
        prompt.text for prompt in skill.prompts if prompt.call >= 0 and ("/" in prompt.text or ".md" in prompt.text)
    ]
    if not told:
        return
    folders: dict[str, bool] = {}
    for path in skill.pages:
        folder, _, name = path.rpartition("/")
        if path == skill.main:
            continue
        if folder and folder not in folders:
            folders[folder] = any(_names_folder(text, folder) for text in told)
        if folders.get(folder) or any(name in text and _names(text, path) for text in told):
            yield path


def _names(text: str, path: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(path)}{_ENDS}", text) is not None


def _names_folder(text: str, folder: str) -> bool:
    """As a whole, or a page of it that is chosen when it runs: `actions/`, `roles/${role}.md`."""
    return f"{folder}/" in text and re.search(rf"(?<![\w.-]){re.escape(folder)}/{_ENDS}", text) is not None
