"""Paths that lead out of where they should: ids, progress files, assets, and links that somebody put there."""

from collections.abc import Iterator

import orjson
import pytest

from tests.server.attacking import LOOPS, Attacked, attacked_server

SECRET = "the secret beside the project"
OUT = [
    "..", "../../../secret", "..%2f..%2fsecret", "..%252f..%252fsecret", "%2e%2e%2f%2e%2e%2fsecret", "..%5c..%5csecret",
    "..\\..\\secret", "%00", "summary.md%00.txt", "%2fetc%2fpasswd", "/etc/passwd", "....//....//secret", "..;/secret",
    "%c0%ae%c0%ae%c0%afsecret", ".", "%2e", "~", "~root", "link", "folder/secret", "folder%2fsecret", "file:///etc/passwd",
    "con", "a" * 300, "%ff", "*", "summary.md/", ".hidden", "%0d%0aSet-Cookie:%20a=b",
]  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    base = tmp_path_factory.mktemp("files")
    (base / "secret").write_text(SECRET)
    (base / "folder").mkdir()
    (base / "folder" / "secret").write_text(SECRET)
    with attacked_server(base) as running:
        yield running
        assert running.is_well
        assert "Traceback" not in running.log.read_text()


@pytest.fixture(scope="module")
def loop(server: Attacked) -> str:
    """With a link out of its folder of progress files, and a hard place behind it."""
    id = str(server.create().json["data"]["loop_id"])
    folder = server.project / ".workflow" / ".loop" / f"{id}.progress"
    folder.mkdir(exist_ok=True)
    (folder / "summary.md").write_text("what was done")
    (folder / "link").symlink_to(server.project.parent / "secret")
    (folder / "folder").symlink_to(server.project.parent / "folder")
    return id


@pytest.mark.parametrize("name", OUT)
def test_no_file_of_others_is_shown(server: Attacked, loop: str, name: str) -> None:
    for path in (
        f"{LOOPS}/{loop}/progress/{name}", f"{LOOPS}/{name}", f"{LOOPS}/{name}/progress/summary.md", f"/assets/{name}",
        f"{LOOPS}/{name}/transcript", f"{LOOPS}/tasks/{name}", f"/{name}",
    ):  # fmt: skip
        heard = server.ask(path)
        assert SECRET.encode() not in heard.body, path
        assert b"root:" not in heard.body, path
        assert heard.status in (200, 400, 404, 405), (path, heard)
        assert heard.header("set-cookie") is None
        if heard.status == 200:
            assert name in (".", "%2e", "*", "summary.md/"), (path, heard.body[:200])


def test_what_is_shown_is_in_the_folder(server: Attacked, loop: str) -> None:
    assert server.ask(f"{LOOPS}/{loop}/progress/summary.md").json["data"]["text"] == "what was done"
    listed = server.ask(f"{LOOPS}/{loop}/progress").json["data"]
    assert SECRET.encode() not in server.ask(f"{LOOPS}/{loop}/progress").body
    assert "summary.md" in {file["name"] for file in listed}


@pytest.mark.parametrize("name", OUT)
def test_nothing_is_changed_elsewhere(server: Attacked, name: str) -> None:
    for path, method in ((name, "DELETE"), (f"{name}/recover", "POST"), (f"{name}/stop", "POST"), (name, "PUT")):
        body = b'{"notes": "x"}' if method == "PUT" else None
        assert server.ask(f"{LOOPS}/{path}", method, body).status in (400, 404, 405), path
    assert (server.project.parent / "secret").read_text() == SECRET


@pytest.mark.parametrize("issue", ["../../secret", "/etc/passwd", "a\u0000b", "..\\secret", "x" * 300, "a/b"])
def test_an_issue_is_no_path(server: Attacked, loop: str, issue: str) -> None:
    heard = server.ask(f"{LOOPS}/{loop}/import", "POST", orjson.dumps({"issue_id": issue}))
    assert heard.status in (400, 404), heard
    assert SECRET.encode() not in heard.body
