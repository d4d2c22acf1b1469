"""What is kept of the index changes no answer: whatever happened to the files meanwhile, a list is what it would be."""

import random
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from loopwright.core.errors import LoopwrightError
from loopwright.store import kept_index
from loopwright.store.disk import Disk
from loopwright.store.files import FileStore
from loopwright.store.kept_index import KeptIndex, kept_folder, read_kept
from loopwright.store.kind import StateKind
from loopwright.store.paths import StatePaths
from loopwright.wiring import places
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from tests.chance import SEED
from tests.store.making import EDITED, SHORT, HandClock, files_at, journal_of, json_of, loop, retitle, tuning

WORDS = ("fence", "gate", "roof")


@pytest.fixture(autouse=True)
def a_place_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every change lay a moment back; then all changes must change a size, as those below do."""
    monkeypatch.setattr(kept_index, "SETTLED", -(10**9))


def keeping(root: Path, kind: StateKind[LoopState] = LOOPS) -> FileStore[LoopState]:
    return FileStore(root, kind, HandClock(), keep_index=True)


def answers(store: FileStore[LoopState]) -> object:
    known = [store.list(search=word) for word in ("", *WORDS, "LOOP-1")]
    known += [store.list(status=status) for status in ("created", "running")]
    pages = [([state.model_dump() for state in page.items], page.total) for page in known]
    return pages, store.list(limit=1, offset=1).total, dict(store.damaged()), dict(store.revs())


def text_kept(root: Path) -> str | None:
    return read_kept(kept_folder(str(root.resolve())), "loop.index", str(root.resolve()))


def test_a_second_process_reads_only_what_has_changed(
    tmp_path: Path, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with keeping(tmp_path) as store:
        for n in range(5):
            store.create(loop(f"loop-{n}", description="x" * 5000 if n == 4 else "short"), actor="user")
        assert store.list().total == 5
    with files_at(tmp_path) as other:
        retitle(other, "B", "loop-2")
    looked: list[str] = []

    def read(disk: Disk, paths: StatePaths) -> bytes | None:
        looked.append(paths.id)
        return disk.read(paths.state)

    monkeypatch.setattr("loopwright.store.index.read_projection", read)
    with keeping(tmp_path) as store:
        assert store.list(search="b", limit=0).total == 1
        assert store.list(search="xxx", limit=0).total == 1
    assert looked == ["loop-2"], "and the long text of loop-4 only where it is searched"


def test_what_was_changed_a_moment_ago_is_looked_at_again(tmp_path: Path) -> None:
    """A file may be changed twice within the tick of a file system's clock."""
    with keeping(tmp_path) as store:
        store.create(loop(), actor="user")
        assert store.list().total == 1
        text = json_of(tmp_path).read_text()
    json_of(tmp_path).write_text(text.replace("A title", "B title"))
    with keeping(tmp_path) as store:
        assert store.list(search="b title").total == 1


@pytest.mark.parametrize("harm", ["cut", "emptied", "of another version", "of another project", "halves apart"])
def test_a_file_that_is_not_ours_or_not_whole_is_ignored(
    tmp_path: Path, settled: None, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    with keeping(tmp_path) as store:
        store.create(loop(), actor="user")
        assert store.list().total == 1
    index, texts = (Path(kept_folder(str(tmp_path.resolve()))) / f"loop.{part}" for part in ("index", "texts"))
    data = index.read_bytes()
    old = texts.read_bytes()
    match harm:
        case "cut":
            index.write_bytes(data[:-1])
        case "emptied":
            index.write_bytes(b"")
        case "of another version":
            monkeypatch.setattr(kept_index, "PACKAGES", ("core",))
        case "of another project":
            index.write_bytes(data.replace(bytes(tmp_path.resolve()), b"/elsewhere"))
        case "halves apart":
            with keeping(tmp_path) as store:
                retitle(store, "B")
                assert store.list().total == 1
            texts.write_bytes(old)
    if harm != "halves apart":
        assert text_kept(tmp_path) is None
    with keeping(tmp_path) as store, files_at(tmp_path) as slow:
        assert answers(store) == answers(slow)


def test_it_lies_where_all_of_a_user_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert Path(kept_folder(str(tmp_path))).parent == places.state_folder()
    monkeypatch.delenv("XDG_STATE_HOME")
    assert Path(kept_folder(str(tmp_path))).parent == places.state_folder()


def test_a_place_that_cannot_be_written_is_no_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with keeping(tmp_path) as store:
        store.create(loop(), actor="user")
        assert store.list().total == 1


def test_what_is_kept_of_gone_projects_is_forgotten(tmp_path: Path, settled: None) -> None:
    roots = [tmp_path / name for name in ("here", "gone", "moved")]
    for root in roots:
        root.mkdir()
        with keeping(root) as store:
            store.create(loop(), actor="user")
            assert store.list().total == 1
    here, gone, moved = (Path(kept_folder(str(root.resolve()))) for root in roots)
    shutil.rmtree(roots[1])
    roots[2].rename(tmp_path / "there")
    (here.parent / "torn.kept").mkdir()
    (here.parent / "torn.kept" / "loop.index").write_bytes(b"[1")
    kept_index.forget_gone_projects()
    assert here.is_dir()
    assert not gone.exists()
    assert not moved.exists()


class Deeds:
    """What people, other versions, crashes and disks do to the files of loops."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root, self.chance, self.made = root, chance, 0
        self.folder = root / LOOPS.folder

    def ids(self) -> list[str]:
        return sorted(path.name.removesuffix(".json") for path in self.folder.glob("*.json"))

    def create(self) -> None:
        self.made += 1
        with files_at(self.root) as store:
            store.create(loop(f"loop-{self.made}", title=self.chance.choice(WORDS)), actor="user")

    def commit(self) -> None:
        with files_at(self.root) as store:
            store.update(self.one(), lambda s: s.evolve(notes=f"{s.notes}x"), actor="user", event=EDITED)

    def start(self) -> None:
        with files_at(self.root) as store:
            status = self.chance.choice(["running", "created"])
            store.update(self.one(), lambda s: s.evolve(status=status), actor="user", event=EDITED)

    def die_before_the_file_is_written(self) -> None:
        id = self.one()
        before = json_of(self.root, id).read_bytes()
        with files_at(self.root) as store:
            retitle(store, self.chance.choice(WORDS) * 2, id)
        json_of(self.root, id).write_bytes(before)

    def tear_the_journal(self) -> None:
        with journal_of(self.root, self.one()).open("ab") as file:
            file.write(b'{"seq":99')

    def damage(self) -> None:
        id = self.one()
        json_of(self.root, id).write_bytes(b"{")
        journal_of(self.root, id).write_bytes(b"no line\n" * self.chance.randrange(1, 9))

    def edit_by_hand(self) -> None:
        path = json_of(self.root, self.one())
        path.write_text(path.read_text().replace('"title": "', f'"title": "{self.chance.choice(WORDS)} '))

    def lose_the_file(self) -> None:
        json_of(self.root, self.one()).unlink()

    def remove_by_hand(self) -> None:
        id = self.one()
        for path in self.folder.glob(f"{id}.*"):
            path.unlink() if path.is_file() else shutil.rmtree(path)

    def copy_in(self) -> None:
        """The files of a loop under the names of another: then neither journal nor file is that one's."""
        id, self.made = self.one(), self.made + 1
        for path in self.folder.glob(f"{id}.*"):
            if path.is_file():
                shutil.copy(path, self.folder / path.name.replace(id, f"loop-{self.made}", 1))

    def delete(self) -> None:
        with files_at(self.root) as store:
            store.delete(self.one(), actor="user")

    def begin_an_old_one(self) -> None:
        self.made += 1
        place = self.folder / f"old-{self.made}"
        place.mkdir(parents=True)
        (place / "state.json").write_text(f'{{"loop_id": "loop-{self.made}", "title": "fence", "status": "created"}}')

    def one(self) -> str:
        if not self.ids():
            self.create()
        return self.chance.choice(self.ids())

    def do_something(self) -> str:
        name = self.chance.choice([name for name in vars(Deeds) if not name.startswith("_") and name not in NO_DEEDS])
        with suppress(LoopwrightError):  # of a loop that another deed has damaged
            getattr(self, name)()
        return name


NO_DEEDS = {"ids", "one", "do_something"}


@pytest.mark.parametrize("number", range(4))
def test_no_deed_makes_a_difference(tmp_path: Path, settled: None, number: int) -> None:
    deeds = Deeds(tmp_path, random.Random(SEED + number))
    done = list[str]()
    current = 0
    for _ in range(25):
        done.append(deeds.do_something())
        with keeping(tmp_path) as store, files_at(tmp_path) as slow:
            assert answers(store) == answers(slow), done
            ids = [state.loop_id for state in slow.list().items]
        text = text_kept(tmp_path)
        index = KeptIndex.parse(text) if text else None
        if index and index.is_current(str(deeds.folder), None):
            current += 1
            assert index.ids == ids, done
    assert current or {"damage", "begin_an_old_one", "copy_in"} & {*done}


def test_sessions_in_folders_of_their_own(tmp_path: Path, settled: None) -> None:
    with FileStore(tmp_path, SHORT, HandClock(), keep_index=True) as store:
        store.create(tuning("loop-1"), actor="user")
        store.create(tuning("loop-2", title="a fence"), actor="user")
        assert store.list().total == 2
    with FileStore(tmp_path, SHORT, HandClock(), keep_index=True) as store:
        assert [state.tuning_id for state in store.list(search="fence").items] == ["loop-2"]
    root = str(tmp_path.resolve())
    text = read_kept(kept_folder(root), "tuning session.index", root)
    assert text
    folder = f"{root}/{SHORT.folder}"
    assert KeptIndex.parse(text).is_current(folder, SHORT.homes)
    shutil.copytree(f"{folder}/loop-1", f"{folder}/loop-3")
    assert not KeptIndex.parse(text).is_current(folder, SHORT.homes)
