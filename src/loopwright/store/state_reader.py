"""The latest state as the files tell it: journal and JSON file, read together without a lock."""

import errno
import os
import stat
import zlib
from dataclasses import dataclass, replace
from enum import Enum
from typing import Generic, NamedTuple

from loopwright.core.errors import Corrupt, NotFound
from loopwright.core.record import JournalEntry
from loopwright.store import patch, projection
from loopwright.store.disk import Disk
from loopwright.store.journal import (
    JournalLine,
    JournalScan,
    apply_lines,
    line_before,
    load_state,
    replay_lines,
    scan_lines,
)
from loopwright.store.kind import ParsedDocument, S, StateKind
from loopwright.store.mac_chain import NOTHING_KNOWN, Anchor, ChainVerdict, JournalSeal, line_mac
from loopwright.store.patch import Doc
from loopwright.store.paths import PROGRESS, StatePaths
from loopwright.store.projection import Projection

CHUNK = 1 << 12
"""Bytes of a journal that are looked at first: who follows it asks after every line."""
CHECKED = "checked"


class DeletedState(NotFound):
    """There is a tombstone: whatever else is found under this id does not count."""


class ProjectionStatus(Enum):
    """What the JSON file turned out to be, beside a readable journal."""

    OURS = "the projection of the last line, or of an earlier one"
    MISSING = "not there"
    BROKEN = "no JSON object"
    FOREIGN = "changed by another program"
    AHEAD = "our own, but beyond the journal"
    ALONE = "all there is: no journal beside it"


@dataclass(frozen=True, slots=True)
class CommittedState(Generic[S]):
    """A state and the journal it stands for: `end` bytes of the file with `inode`, up to line `seq`.

    `changed` is when that file was last touched. `doc` is the state as JSON, changed in place by the next commit.
    `whole`: the next line must carry the whole state, because a patch would not fit the journal. `file` is the JSON
    file's content as last seen or written; `pending` what it should become, `behind` the monotonic time since when;
    `shown` the state that the side files show; `entries` the last lines, as far as this process wrote them, and `text`
    the state's JSON then. `mac`: what the next line is chained to, where lines have MACs.
    """

    state: S
    doc: Doc
    seq: int
    end: int
    inode: int
    file: bytes | None
    whole: bool = False
    pending: bytes | None = None
    behind: float = 0
    shown: S | None = None
    changed: int = 0
    entries: tuple[JournalEntry, ...] = ()
    text: bytes | None = None
    mac: str = ""


class StateView(NamedTuple, Generic[S]):
    """`known` with what was found in the JSON file; `current`: that file needs no replacing.

    `forged`: what was put back already: only the runner that lives may change it, or it does not verify. `foreign`: why
    nothing may be written behind it, in words: what follows is perhaps the honest work of another key.
    """

    known: CommittedState[S]
    finding: ProjectionStatus
    current: bool
    found: Projection | None
    forged: tuple[str, ...] = ()
    foreign: str = ""

    @property
    def is_copy(self) -> bool:
        """Whether the state is that of the journal alone: nothing was changed from outside."""
        return self.finding in (ProjectionStatus.OURS, ProjectionStatus.MISSING)


class JournalStat(NamedTuple):
    """`changed`: nanoseconds since the epoch of the last touch, which no program can set back."""

    inode: int
    size: int
    changed: int


def stat_journal(paths: StatePaths) -> JournalStat:
    """Zeros where there is no journal."""
    try:
        found = os.stat(paths.journal)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise
        return JournalStat(0, 0, 0)
    regular = stat.S_ISREG(found.st_mode)
    return JournalStat(found.st_ino, found.st_size, found.st_ctime_ns) if regular else JournalStat(0, 0, 0)


def read_projection(disk: Disk, paths: StatePaths) -> bytes | None:
    """The JSON file, or None. One that cannot be read counts as empty: the journal has it all."""
    try:
        return disk.read(paths.state)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EIO):
            raise
        return b""


def is_latest(known: CommittedState[S], journal: JournalStat) -> bool:
    """Whether nothing was committed since `known` was made."""
    return journal == (known.inode, known.end, known.changed)


def read_state(
    disk: Disk,
    kind: StateKind[S],
    paths: StatePaths,
    now: str,
    seal: JournalSeal | None = None,
    *,
    in_spite: bool = False,
) -> StateView[S]:
    """Reads what is there. NotFound, Corrupt, NewerSchema. With a `seal`, only lines that verify count.

    `in_spite` of damage: what stands behind it is left out.
    """
    anchors = seal.anchors() if seal else ()
    file, journal = read_projection(disk, paths), stat_journal(paths)
    found = projection.parse_projection(file) if file is not None else None
    since = _since(disk, paths, found, journal, seal, anchors) if journal.size and found and found.genuine else None
    if found and since:
        lines, mac = since
        doc = apply_lines(found.doc, lines[1:])
        known = replace(_known(kind, doc, paths.id, now, lines[-1], file, journal), mac=mac)
        return StateView(known, ProjectionStatus.OURS, len(lines) == 1, found)
    data = (disk.read(paths.journal) or b"") if journal.size else b""
    whole = scan_lines(data)
    verdict = seal.judge(data[: whole.end], anchors) if seal else None
    if whole.rest == "damage" and verdict and not verdict.trouble and any(not one.is_copy for one in anchors):
        verdict = verdict._replace(trouble=f"what follows line {len(whole.lines)} does not")
    elif whole.rest == "damage" and not in_spite:
        raise Corrupt(
            f"{kind.name} {paths.id}: its journal is damaged after line {len(whole.lines)}"
            f"; `recover` continues from what can be read and keeps the damaged file"
        )
    if verdict and verdict.trouble:
        return _view_believed(kind, paths, now, whole, found, file, journal, verdict, anchors)
    if whole.lines:
        doc = replay_lines(whole.lines)
        known = _known(kind, doc, paths.id, now, whole.lines[-1], file, journal)
        finding = judge_projection(file, found, whole.lines)
        if verdict:
            known = replace(known, mac=verdict.mac)
            if finding is ProjectionStatus.AHEAD and anchors:
                finding = ProjectionStatus.FOREIGN
        return StateView(known, finding, False, found)
    texts = read_side_files(disk, kind, paths)
    if found is None:
        if file is None and not texts:
            raise NotFound(f"{kind.name} not found: {paths.id}")
        raise Corrupt(f"{kind.name} {paths.id}: neither its journal nor its JSON file can be read; try `recover`")
    raw = without_claims(found.doc) if seal else found.doc
    state = _alone(kind, ParsedDocument(raw, paths.id, now, texts))
    doc, seq = patch.to_json(state), max(0, found.rev)
    known = CommittedState(state, doc, seq, 0, journal.inode, file, True, changed=journal.changed)
    return StateView(known, ProjectionStatus.ALONE, False, found)


def _view_believed(
    kind: StateKind[S],
    paths: StatePaths,
    now: str,
    whole: JournalScan,
    found: Projection | None,
    file: bytes | None,
    journal: JournalStat,
    verdict: ChainVerdict,
    anchors: tuple[Anchor, ...],
) -> StateView[S]:
    """The last state that verifies: that of the JSON file where an anchor names it, else that of the lines before.

    NotFound where nothing is left but an anchor; Corrupt where nothing that is left verifies.
    """
    if not journal.size and file is None:
        raise NotFound(f"{kind.name} not found: {paths.id} (its files were removed: {verdict.trouble})")
    lines = tuple(line for line in whole.lines if line.end <= verdict.end)
    last = max((anchor.seq for anchor in anchors), default=0)
    vouched = next((a for a in anchors if found and found.genuine and found.digest == a.digest), None)
    forged = (f"the journal ({verdict.trouble})",)
    foreign = f"its journal is not believed to its end: {verdict.trouble}" if verdict.is_foreign else ""
    if found and vouched:
        state = load_state(kind, ParsedDocument(found.doc, paths.id, now, {}))[0]
        seq = max(last, lines[-1].seq if lines else 0)
        known = CommittedState(state, patch.to_json(state), seq, verdict.end, journal.inode, file, True)
        known = replace(known, changed=journal.changed, mac=verdict.mac)
        return StateView(known, ProjectionStatus.OURS, False, found, forged, foreign)
    if not lines:
        raise Corrupt(
            f"{kind.name} {paths.id}: nothing of its journal verifies ({verdict.trouble})"
            f"; `verify --accept` takes over what is there, if you know where it comes from"
        )
    known = _known(kind, replay_lines(lines), paths.id, now, lines[-1], file, journal)
    known = replace(known, seq=max(last, known.seq), end=verdict.end, whole=True, mac=verdict.mac)
    finding = judge_projection(file, found, lines)
    finding = ProjectionStatus.FOREIGN if finding is ProjectionStatus.AHEAD else finding
    return StateView(known, finding, False, found, forged, foreign)


def committed_in_file(
    disk: Disk, kind: StateKind[S], paths: StatePaths, now: str, seal: JournalSeal | None = None
) -> S | None:
    """The state that the JSON file shows, if a line of the journal stands for it; lines behind that one may follow.

    The file is written after the sync, so that this is acknowledged.
    """
    anchors = seal.anchors() if seal else ()
    found = projection.parse_projection(read_projection(disk, paths) or b"")
    journal = stat_journal(paths)
    if not (found and found.genuine and 0 < found.journal_bytes <= journal.size):
        return None
    with disk.open(paths.journal) as fd:
        line = _line_at(disk, fd, found.journal_bytes)
        if line is None or line.is_tombstone or (line.seq, line.digest) != (found.rev, found.digest):
            return None
        if seal and _last_mac(disk, fd, line, journal.size, seal, anchors) is None:
            return None
    return load_state(kind, ParsedDocument(found.doc, paths.id, now, {}))[0]


def judge_journal(disk: Disk, paths: StatePaths, seal: JournalSeal | None) -> tuple[JournalScan, ChainVerdict | None]:
    """All lines of the journal, and how far they are believed."""
    anchors = seal.anchors() if seal else ()
    data = disk.read(paths.journal) or b""
    scan = scan_lines(data)
    return scan, seal.judge(data[: scan.end], anchors) if seal else None


def parse_journal(kind: StateKind[S], id: str, data: bytes, now: str) -> CommittedState[S]:
    """The last state in a journal that is in no file yet. Corrupt, NewerSchema; NotFound after a tombstone."""
    scan = scan_lines(data)
    if scan.rest != "nothing" or not scan.lines:
        raise Corrupt(f"{kind.name} {id}: what should be its journal is damaged after line {len(scan.lines)}")
    return _known(kind, replay_lines(scan.lines), id, now, scan.lines[-1], None, JournalStat(0, 0, 0))


def extend_state(kind: StateKind[S], known: CommittedState[S], id: str, data: bytes, now: str) -> CommittedState[S]:
    """The state after further lines, which are in no file yet; `known` is used up by it. Errors as above."""
    scan = scan_lines(data, known.end, after=known.seq)
    if scan.rest != "nothing" or not scan.lines:
        raise Corrupt(f"{kind.name} {id}: what should follow line {known.seq} of its journal does not")
    doc = apply_lines(known.doc, scan.lines)
    return _known(kind, doc, id, now, scan.lines[-1], known.file, JournalStat(known.inode, 0, 0))


LONG = 1 << 20
"""Bytes of a journal from which it is remembered that it was whole."""


def is_damaged(disk: Disk, paths: StatePaths, seal: JournalSeal | None = None) -> bool:
    """Whether there are whole lines of the journal behind broken ones, or some that nobody can have written honestly.

    What was whole before is only compared.
    """
    anchors = seal.anchors() if seal else ()
    data = disk.read(paths.journal) or b""
    end, seq = _checked_before(disk.read(paths.side(CHECKED)) or b"", data)
    scan = scan_lines(data[end:], end, after=seq)
    verdict = seal.judge(data[: scan.end], anchors) if seal else NOTHING_KNOWN
    return scan.rest == "damage" or bool(verdict.trouble and not verdict.is_foreign)


def remember_whole(disk: Disk, paths: StatePaths, history: bytearray, seq: int) -> None:
    """That these first bytes of a journal are whole lines up to number `seq`, where it is long."""
    if len(history) >= LONG:
        disk.replace(paths.side(CHECKED), b"%d %d %d\n" % (len(history), seq, zlib.crc32(history)))


def _checked_before(said: bytes, journal: bytes) -> tuple[int, int | None]:
    """The end of what still is as it was then, and its last number."""
    try:
        end, seq, check = map(int, said.split())
    except ValueError:
        return 0, None
    same = 0 < end <= len(journal) and zlib.crc32(memoryview(journal)[:end]) == check
    return (end, seq) if same else (0, None)


def state_at(
    disk: Disk, kind: StateKind[S], paths: StatePaths, rev: int, now: str, seal: JournalSeal | None = None
) -> S | None:
    """The state that line `rev` made, or None where the journal does not have it, or not one that verifies."""
    scan, verdict = judge_journal(disk, paths, seal)
    end = verdict.end if verdict else scan.end
    lines = tuple(line for line in scan.lines if line.seq <= rev and line.end <= end)
    if not lines or lines[-1].seq != rev:
        return None
    return load_state(kind, ParsedDocument(replay_lines(lines), paths.id, now, {}))[0]


def read_side_files(disk: Disk, kind: StateKind[S], paths: StatePaths) -> dict[str, str]:
    """The texts beside a state that could help to rebuild it: side files and progress files, those in folders too.

    None where a state has a folder of its own: what lies there is not told apart from what others put there.
    """
    if paths.home:
        return {}
    files = {suffix: path for suffix in kind.side_files if os.path.lexists(path := paths.side(suffix))}
    if os.path.isdir(paths.base + PROGRESS):
        folders = (paths.progress, *(one for one in paths.progress.iterdir() if one.is_dir() and not one.is_symlink()))
        found = sorted(path for folder in folders for path in folder.iterdir() if path.is_file())
        files |= {path.relative_to(paths.progress).as_posix(): str(path) for path in found}
    texts = {name: disk.read(path) for name, path in files.items()}
    return {name: text.decode(errors="replace") for name, text in texts.items() if text is not None}


def _since(
    disk: Disk,
    paths: StatePaths,
    found: Projection,
    journal: JournalStat,
    seal: JournalSeal | None,
    anchors: tuple[Anchor, ...],
) -> tuple[tuple[JournalLine, ...], str] | None:
    """The line a genuine file belongs to and all after it, or None when they do not belong together.

    With a `seal` all of them verify, and what the next one is chained to comes with them; None also where that takes a
    look at the whole journal.
    """
    if not 0 < found.journal_bytes <= journal.size:
        return None
    with disk.open(paths.journal) as fd:
        line = _line_at(disk, fd, found.journal_bytes)
        if line is None or (line.seq, line.digest) != (found.rev, found.digest):
            return None
        mac = _last_mac(disk, fd, line, journal.size, seal, anchors) if seal else ""
        rest = disk.read_at(fd, line.end, journal.size - line.end)
    after = scan_lines(rest, line.end, after=line.seq)
    return None if after.rest == "damage" or mac is None else ((line, *after.lines), mac)


def _last_mac(
    disk: Disk, fd: int, line: JournalLine, size: int, seal: JournalSeal, anchors: tuple[Anchor, ...]
) -> str | None:
    """What is chained to the last whole line, where all from `line` and the anchor on verify, and none is missing.

    Empty where nothing has MACs yet, or all is a copy; None where that takes a look at the whole journal.
    """
    if any(anchor.is_copy for anchor in anchors):
        return ""
    anchor = anchors[0] if anchors else None
    text = _text_at(disk, fd, line.end)
    if anchor is None and not line_mac(text):
        return ""
    if len(anchors) > 1 or (anchor and anchor.end > size):
        return None
    if anchor and anchor.end <= line.end:
        if anchor.end == line.end and anchor.digest != line.digest:
            return None
        start, mac = anchor.end, anchor.mac
    else:
        start = line.end - len(text)
        mac = line_mac(_text_at(disk, fd, start)) if start else ""
    data = disk.read_at(fd, start, size - start)
    data = data[: data.rfind(b"\n") + 1]
    if anchor and anchor.end > line.end:
        end, reached = seal.follows(mac, data[: anchor.end - start])
        if (end, reached) != (anchor.end - start, anchor.mac):
            return None
    end, mac = seal.follows(mac, data)
    return mac if end == len(data) else None


def _line_at(disk: Disk, fd: int, end: int) -> JournalLine | None:
    text = _text_at(disk, fd, end)
    return line_before(text, end) if text else None


def _text_at(disk: Disk, fd: int, end: int) -> bytes:
    """The line that ends at offset `end`; empty where none does."""
    size = CHUNK
    while True:
        start = max(0, end - size)
        data = disk.read_at(fd, start, end - start)
        if start == 0 or data.find(b"\n", 0, -1) >= 0:
            return data[data.rfind(b"\n", 0, -1) + 1 :] if data.endswith(b"\n") else b""
        size *= 4


def judge_projection(file: bytes | None, found: Projection | None, lines: tuple[JournalLine, ...]) -> ProjectionStatus:
    """What the JSON file is beside a journal of these lines."""
    if file is None:
        return ProjectionStatus.MISSING
    if found is None:
        return ProjectionStatus.BROKEN
    if not found.genuine:
        return ProjectionStatus.FOREIGN
    if any(line.digest == found.digest for line in lines):
        return ProjectionStatus.OURS
    return ProjectionStatus.AHEAD if found.rev > lines[-1].seq else ProjectionStatus.FOREIGN


CLAIMS = frozenset(
    {"settings", "allow_test_changes", "asked", "answer", "messages", "outcome", "last_validation", "proof"}
)


def without_claims(doc: Doc) -> Doc:
    """A JSON file of which no line tells: it sets nothing that only commands set, and nothing was measured of it."""
    engine = doc.get("engine")
    if not isinstance(engine, dict):
        return doc
    return {**doc, "engine": {key: value for key, value in engine.items() if key not in CLAIMS}}


def _alone(kind: StateKind[S], document: ParsedDocument) -> S:
    """No journal: the JSON file becomes its first line."""
    try:
        state, _ = kind.read(document)
    except RecursionError as error:
        raise Corrupt(f"{kind.name} {document.id}: its JSON file is nested too deeply") from error
    if kind.id_of(state) != document.id:
        raise Corrupt(f"{kind.name} {document.id}: its JSON file is that of {kind.id_of(state)}; try `recover`")
    return state


def _known(
    kind: StateKind[S], doc: Doc, id: str, now: str, line: JournalLine, file: bytes | None, journal: JournalStat
) -> CommittedState[S]:
    if line.is_tombstone:
        raise DeletedState(f"{kind.name} not found: {id} (it was deleted)")
    state, changed = load_state(kind, ParsedDocument(doc, id, now, {}))
    doc = patch.to_json(state) if changed else doc
    return CommittedState(state, doc, line.seq, line.end, journal.inode, file, changed, changed=journal.changed)
