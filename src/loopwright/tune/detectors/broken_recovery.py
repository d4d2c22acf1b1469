"""Going on after an interruption is promised, and what it needs is not there."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.rules.families import same_title
from loopwright.tune.reading.state.code_state import unsaved as unsaved_in_code
from loopwright.tune.reading.state.recovery import (
    PROMISES,
    RESUME,
    SAVES,
    Mention,
    described_only,
    mentions,
    pledge_of,
    says_nothing,
    tells_how,
    unsaved,
    written,
)
from loopwright.tune.reading.state.unkept import Unkept, unkept
from loopwright.tune.reading.words.spots import block_at, spotted
from loopwright.tune.skill.model import Section, Skill
from loopwright.tune.skill.names import DIR

_SECTION = re.compile(r"[\"“「『]([^\"”」』\n]{2,60})[\"”」』]")
_FOLDER = re.compile(r"`([^`\n]*?(?<![\w.-])([\w.-]++)/)`")
_MEMORY = re.compile(r"\bin[- ]memory\b|\bin the conversation(?:'s)?\b|内存里|内存中|会话里|对话里", re.IGNORECASE)
_MEMORY_WORDS = dict.fromkeys(("memory", "in the conversation", "内存", "会话里", "对话里"), _MEMORY)
_KEPT = re.compile(
    r"\b(?:keep|kept|hold|held|change[sd]?|update[sd]?|store[sd]?|set|sets)\b|改|更新|保存|记|置", re.IGNORECASE
)
_SAVED = re.compile(
    r"\b(?:writ|sav|stor|persist|flush)\w*\b[^.\n]{0,60}\.json|写回|落盘|存回|写入[^。\n]{0,30}\.json", re.IGNORECASE
)
_NOT = re.compile(r"\b(?:not|never|nothing|no|don't)\b|不|勿|别", re.IGNORECASE)
MENTIONS = 100
"""So many places that speak of it are looked at."""
STEPS = 3
"""Steps of a course for which a promise alone is too little."""


def look(skill: Skill) -> Iterator[Hit]:
    yield from _described(skill)
    yield from _unsaved(skill)
    yield from _lost(skill)
    yield from (_unkept(one) for one in unkept(skill))
    found = mentions(skill)
    if found:
        yield from _of_mentions(skill, found)


def _of_mentions(skill: Skill, found: tuple[Mention, ...]) -> Iterator[Hit]:
    hits = [
        *_sections_gone(skill, found),
        *_never_written(skill, found),
        *_folders(skill, found),
        *_in_memory(skill, found),
    ]
    yield from hits
    if not hits:
        promised = [*_pledged(found)] or [*_only_promised(skill, found)]
        yield from promised


def _described(skill: Skill) -> Iterator[Hit]:
    if promise := described_only(skill):
        start, end, word = promise
        yield Hit(
            file=skill.main, start=start, end=end, subject="description", severity="medium",
            message=f"the description promises “{word}”, and the text says nothing of it",
            advice="Add a section on it: what is looked at, what is done, and where the work goes on; or take the "
                "word out of the description.",
            facts={"promise": "1"},
        )  # fmt: skip


def _unsaved(skill: Skill) -> Iterator[Hit]:
    for page, others, (said, at) in unsaved(skill):
        where = f"{said.path}:{said.text.count(chr(10), 0, at) + 1}"
        section = page.sections[0] if page.sections else None
        start = section.start if section else 0
        stop = page.text.find("\n", start)
        yield Hit(
            file=page.path, start=start, end=stop if stop > start else len(page.text), subject="nothing saved",
            message=
                f"progress is saved after each step ({where}), and {page.path} saves none;"
                f" {', '.join(others[:3])} do"
            ,
            advice=f"Save the progress at the end of it, as {others[0]} does.", also=(where,), facts={"unsaved": "1"},
        )  # fmt: skip


_UNKEPT = {
    "aim": "“{said}” is what this page is for, and no step of it does that",
    "zero": "“{said}” is spoken of ({also}) and nothing has it: the steps begin here, and an interrupted run is not "
    "looked for",
    "duty": "this is a duty (“{said}”), and no step of the page does it",
    "handler": "what the user asks to go on with is led to {said}, and {said} is told nowhere; the other handlers have "
    "a part of their own",
}
_GOES_ON = {
    "en": "Read the state of the run from its file, compare it with what is really done, and go on with the first "
    "piece that is not.",
    "zh": "从文件读取本次运行的状态，与实际完成的内容核对，从第一个没有完成的部分接着做。",
}


def _unkept(one: Unkept) -> Hit:
    said = " ".join(one.said.split())[:100]
    words = _GOES_ON[one.page.language]
    entry = {"duty": f"\n\n{said.rstrip('.。')}.", "handler": f"\n\n### Handler: {said}\n\n{words}"}.get(one.kind, "")
    facts = {"entry_at": str(one.end_at), "entry": entry} if entry and one.end_at >= 0 else {"promise": "1"}
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=f"unkept: {said[:60]}",
        message=_UNKEPT[one.kind].format(said=said, also=one.also), facts=facts,
        advice="Say in a step what is read to know where the run stood, what is set right, and which step comes next.",
        also=(one.also,) if one.also else (),
    )  # fmt: skip


def _lost(skill: Skill) -> Iterator[Hit]:
    """Code that changes the state and ends without writing it back, as other pages do."""
    for change, model in unsaved_in_code(skill):
        where = f"{model.page.path}:{model.page.text.count(chr(10), 0, model.start) + 1}"
        text = change.page.text
        stop = text.find("\n", change.end)
        begin = text.rfind("\n", 0, change.start) + 1
        indent = text[begin : change.start]
        yield Hit(
            file=change.page.path, start=change.start, end=stop if stop >= 0 else len(text),
            subject=f"{change.name} is not saved",
            message=f"{change.name} is changed here and never written back: the next step that reads it does not "
                f"see it; {where} saves it",
            advice=f"Save it behind the last change, as {where} does: {model.line.strip()[:120]}", also=(where,),
            facts={"entry_at": str(stop if stop >= 0 else len(text)), "entry": f"\n{indent}{model.line.strip()}"},
        )  # fmt: skip


def _sections_gone(skill: Skill, found: tuple[Mention, ...]) -> Iterator[Hit]:
    """`follow "Resuming" in SKILL.md`, and no such section."""
    for mention in found[:MENTIONS]:
        text = mention.block.text
        for quoted in _SECTION.finditer(text):
            near = text[max(0, quoted.start() - 40) : quoted.end() + 40]
            if not RESUME.search(quoted[1]) or not _names_place(near, skill) or _is_title(quoted[1], skill):
                continue
            start = mention.block.body + quoted.start()
            yield Hit(
                file=mention.page.path, start=start, end=mention.block.body + quoted.end(), subject=f"section "
                    f"{same_title(quoted[1])}",
                message=f"“{quoted[1]}” is to be followed to go on with an interrupted run, and there is no such "
                    f"section",
                advice=f"Write the section “{quoted[1]}”: what is read first, what is done when it does not "
                    f"parse, and which step comes next.",
                facts={"section": quoted[1]},
            )  # fmt: skip


def _names_place(near: str, skill: Skill) -> bool:
    names = {path.rsplit("/", 1)[-1] for path in skill.pages}
    return any(name in near for name in names) or bool(
        re.search(r"\b(?:section|see|follow)\b|一节|参见|见", near, re.IGNORECASE)
    )


def _is_title(words: str, skill: Skill) -> bool:
    plain = same_title(words)
    titles = {same_title(section.title) for page in skill.pages.values() for section in page.sections}
    return any(
        plain == title or (len(plain) > 3 and (plain in title or (len(title) > 3 and title in plain)))
        for title in titles
    )


def _never_written(skill: Skill, found: tuple[Mention, ...]) -> Iterator[Hit]:
    """A file that is read to know where the run stood, and that no step writes."""
    seen: set[str] = set()
    for mention in found:
        section = mention.section
        if section is None:
            continue
        for artefact in skill.artefacts:
            inside = artefact.at.file == mention.page.path and section.start <= artefact.at.start < section.end
            if not inside or artefact.mode != "read" or artefact.name in seen or not artefact.name.startswith(DIR):
                continue
            seen.add(artefact.name)
            if written(skill, artefact.name, (section,), mention.page.path) or _declared(skill, artefact.name, section):
                continue
            if _written_by_variable(skill, artefact.name.rsplit("/", 1)[-1]):
                continue
            name = artefact.name.removeprefix(DIR + "/")
            yield Hit(
                file=artefact.at.file, start=artefact.at.start, end=artefact.at.end, subject=name,
                message=f"an interrupted run goes on from {name}, and no step writes that file",
                advice=f"Write {name} after each step, with what “{section.title}” reads from it.",
                also=_also(skill, artefact.name, artefact.at.start),
                facts={"artefact": artefact.name, "section": section.title},
            )  # fmt: skip


def _written_by_variable(skill: Skill, base: str) -> bool:
    """`write(statusPath, …)`, and `statusPath` is its path."""
    named = re.compile(rf"\b(\w+)\s*=\s*[`\"'][^`\"'\n]*{re.escape(base)}[`\"']")
    names = {found[1] for page in skill.pages.values() if base in page.text for found in named.finditer(page.text)}
    writes = [re.compile(rf"\b(?:[Ww]rite|save|dump|persist)\w*\(\s*{re.escape(name)}\b") for name in names]
    return any(pattern.search(page.text) for pattern in writes for page in skill.pages.values())


def _declared(skill: Skill, name: str, section: Section) -> bool:
    """It is listed as what a step leaves behind."""
    return any(
        artefact.name == name
        and artefact.mode == "declare"
        and artefact.at.file in skill.pages
        and any(
            block.kind == "row"
            for block in skill.pages[artefact.at.file].blocks
            if block.start <= artefact.at.start < block.end
        )
        for artefact in skill.artefacts
    )


def _also(skill: Skill, name: str, but: int) -> tuple[str, ...]:
    return tuple(f"{a.at.file}:{a.at.line}" for a in skill.artefacts if a.name == name and a.at.start != but)[:5]


def _folders(skill: Skill, found: tuple[Mention, ...]) -> Iterator[Hit]:
    """Snapshots that are said to lie in a folder which nothing else ever names."""
    for mention in found:
        if mention.section is None or mention.block.kind == "code":
            continue
        for folder in _FOLDER.finditer(mention.block.text):
            if not SAVES.search(mention.block.text) or _named_elsewhere(
                skill, mention.section, mention.page.path, folder[2]
            ):
                continue
            start = mention.block.body + folder.start()
            yield Hit(
                file=mention.page.path, start=start, end=mention.block.body + folder.end(), subject=f"{folder[2]}/",
                message=f"an interrupted run is to be restored from {folder[2]}/, and no step puts anything there",
                advice=f"Say in the step that does it what is saved in {folder[2]}/, or take the promise back.",
                facts={"folder": folder[2]},
            )  # fmt: skip


def _named_elsewhere(skill: Skill, section: Section, file: str, folder: str) -> bool:
    for path, page in skill.pages.items():
        text = page.text if path != file else page.text[: section.start] + page.text[section.end :]
        if folder in text:
            return True
    return False


def _in_memory(skill: Skill, found: tuple[Mention, ...]) -> Iterator[Hit]:
    """The state that is read to go on is said to be kept in memory only."""
    if not any(mention.section for mention in found):
        return
    for page in skill.pages.values():
        if page.kind in ("template", "reference", "script", "data"):
            continue
        for match in spotted(page.text, _MEMORY_WORDS):
            start, end = match.span()
            block = page.blocks[block_at(page, start)]
            if block.use not in ("instruction", "prompt") or block.kind == "code":
                continue
            near = page.text[max(block.start, start - 50) : min(block.end, end + 30)]
            if _KEPT.search(near) and "`" in near and not _NOT.search(near) and not _SAVED.search(block.text):
                yield Hit(
                    file=page.path, start=start, end=end, subject="state in memory",
                    message="an interrupted run goes on from a file, and the state is only changed in memory",
                    advice="Write the state to its file after each change.",
                    facts={"memory": _read_first(skill, found)},
                )  # fmt: skip
                return


def _read_first(skill: Skill, found: tuple[Mention, ...]) -> str:
    """The file that a recovery section reads, by its last name."""
    for mention in found:
        for artefact in skill.artefacts if mention.section else ():
            inside = (
                artefact.at.file == mention.page.path and mention.block.start <= artefact.at.start < mention.block.end
            )
            if inside and artefact.mode == "read":
                return artefact.name.rsplit("/", 1)[-1]
    return ""


def _pledged(found: tuple[Mention, ...]) -> Iterator[Hit]:
    """ "Progress is preserved for resume", and no section, no command and no sentence says how that is done."""
    pledges = [(mention, pledge) for mention in found if (pledge := pledge_of(mention)) is not None]
    if not pledges or not says_nothing(found):
        return
    mention, pledge = pledges[0]
    said = " ".join(pledge[0].split())
    yield Hit(
        file=mention.page.path, start=pledge.start(), end=pledge.end(), subject="promise",
        message=f"“{said}” is promised, and nothing says how a run that broke off is taken up again",
        advice="Say how an unfinished run is found, which file is read first and which step comes next, or take "
            "the promise back.",
        also=tuple(f"{m.page.path}:{m.block.line}" for m, _ in pledges[1:4]), facts={"promise": "1"},
    )  # fmt: skip


def _only_promised(skill: Skill, found: tuple[Mention, ...]) -> Iterator[Hit]:
    promises = [
        mention for mention in found if PROMISES.search(mention.page.text, max(0, mention.start - 16), mention.end)
    ]
    steps = {phase.file for phase in skill.phases if phase.file != skill.main} | {
        p.path for p in skill.pages.values() if p.kind in ("phase", "action")
    }
    if not promises or len(steps) < STEPS or tells_how(found):
        return
    first = promises[0]
    yield Hit(
        file=first.page.path, start=first.start, end=first.end, subject="promise",
        message=f"“{skill.pages[first.page.path].text[first.start : first.end]}” is promised, and no step says "
            f"what is read to go on",
        advice="Say how an unfinished run is found, which file is read first and which step comes next, or take "
            "the promise back.",
        also=tuple(f"{m.page.path}:{m.block.line}" for m in promises[1:4]), facts={"promise": "1"},
    )  # fmt: skip


DETECTOR = Detector(
    rule="broken-recovery", dimension="memory", severity="high", confidence="likely", strategy="checkpoint_restore",
    title="recovery is promised and can not work",
    why="A model that is told to go on from what was saved, and finds nothing saved, starts from scratch or makes "
        "the missing part up.",
    advice="Save what is needed after each step, and say what is read to go on.", look=look,
)  # fmt: skip
