"""What the readings of lists, objects, paths and numbers take in, and what they leave alone."""

import pytest

from loopwright.tune.reading.fields.keyed import keyed
from loopwright.tune.reading.fields.near_names import near_names
from loopwright.tune.reading.fields.odd_keys import lacking_keys, odd_keys
from loopwright.tune.reading.fields.settings import disputed
from loopwright.tune.reading.fields.strays import stray_words
from loopwright.tune.reading.files.rival_paths import rival_paths
from loopwright.tune.reading.lists.counted import miscounts
from loopwright.tune.reading.lists.listings import listings
from loopwright.tune.reading.state.second_state import added_states
from loopwright.tune.skill.model import Skill
from loopwright.tune.skill.read import read_skill


def skill(text: str, **more: str) -> Skill:
    front = "---\nname: sample\ndescription: A sample.\n---\n\n# Sample\n\n"
    pages = {name.replace("__", "/").replace("_py", ".py"): body.encode() for name, body in more.items()}
    return read_skill("sample", {"SKILL.md": (front + text).encode(), **pages})


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('Set `"kind": "oak|ash|elm"`.', ("oak", "ash", "elm")),
        ("It is `oak`, `ash`, or `elm`.", ("oak", "ash", "elm")),
        ("取值为 `oak`、`ash` 或 `elm`。", ("oak", "ash", "elm")),
        ("- **Oak**: hard\n- **Ash**: tough\n- **Elm**: twisted\n", ("oak", "ash", "elm")),
        ("| Wood | Use |\n|---|---|\n| oak | posts |\n| ash | handles |\n| elm | hubs |\n", ("oak", "ash", "elm")),
    ],
)
def test_a_choice_is_read_in_whatever_form_it_is_listed(text: str, values: tuple[str, ...]) -> None:
    assert values in [one.values for one in listings(skill(text).pages["SKILL.md"])]


@pytest.mark.parametrize("text", ["See docs/woods/oak/ash.md for more.", "Read `docs/woods/oak`.", "Oak is hard."])
def test_a_path_or_a_sentence_is_no_choice(text: str) -> None:
    assert not list(listings(skill(text).pages["SKILL.md"]))


def test_objects_are_read_in_fences_commands_and_sentences() -> None:
    command = '```bash\nsend \'{"post": 2, "wood": "ash"}\'\n```\n'
    text = 'Send `{"post": 1, "wood": "oak"}`.\n\n' + command + "\n```yaml\npost: 3\nwood: elm\n```\n"
    assert [[*one.keys] for one in keyed(skill(text).pages["SKILL.md"])] == [["post", "wood"]] * 3


def test_a_key_in_the_place_of_the_usual_one_is_found_and_an_object_of_another_kind_is_not() -> None:
    usual = '```json\n{"post": 1, "wood": "oak", "deep": 60}\n```\n\n' * 4
    assert [
        one.right for one in odd_keys(skill(usual + '```json\n{"post": 5, "timber": "oak", "deep": 60}\n```\n'))
    ] == ["wood"]
    assert not list(odd_keys(skill(usual + '```json\n{"gate": "north", "hinges": 2}\n```\n')))
    assert [one.name for one in lacking_keys(skill(
        '```json\n{"post": 1, "wood": "oak", "deep": 60, "rows": 2, "by": "Ann"}\n```\n\nLike this:\n\n'
        '```json\n{"post": 2, "wood": "ash", "rows": 2, "by": "Ann"}\n```\n'))] == ["deep"]  # fmt: skip


@pytest.mark.parametrize(
    ("second", "found"),
    [
        ("Read `.fence/post-lists/<row>/list.md`.", True), ("Read `.fence/posts/<row>/list.md`.", False),
        ("Read `.fence/photos/<row>.jpg`.", False),
    ],
)  # fmt: skip
def test_a_folder_by_another_name_is_found_and_another_folder_is_not(second: str, found: bool) -> None:
    text = "Write `.fence/posts/<row>/list.md`.\n\nKeep `.fence/posts/<row>/plan.md`.\n\n" + second
    assert bool(list(rival_paths(skill(text)))) is found


def test_a_default_is_held_against_the_script() -> None:
    table = "| Option | Default |\n|---|---|\n| `--post-depth` | 60 |\n| `--row-gap` | 200 |\n"
    script = 'parser.add_argument("--post-depth", type=int, default={})\n'
    assert [one.right.value for one in disputed(skill(table, scripts__fence_py=script.format(80)))] == ["80"]
    assert not list(disputed(skill(table, scripts__fence_py=script.format(60))))


@pytest.mark.parametrize(
    ("line", "items", "found"),
    [
        ("Check three things in this order, four posts each:", 3, False), ("Use three woods:", 2, True),
        ("Use three woods:", 3, False), ("At least three woods are used:", 2, False), ("分四步：", 4, False),
        ("分四步做：", 5, True), ("按四个步骤做：", 3, True),
    ],
)  # fmt: skip
def test_a_list_of_another_length_is_found(line: str, items: int, found: bool) -> None:
    text = f"{line}\n\n" + "".join(f"- entry {number}\n" for number in range(items))
    assert bool(list(miscounts(skill(text)))) is found


def test_a_word_beside_the_list_is_found_unless_it_is_forbidden() -> None:
    text = "`wood` is `oak`, `ash` or `elm`.\n\nIn wet ground, `wood` is `ash`.\n\nAt the gate, `wood` is {}`pine`.\n"
    assert [one.value for one in stray_words(skill(text.format("")))] == ["pine"]
    assert not list(stray_words(skill(text.format("never "))))


def test_a_second_file_of_the_state_is_found_and_a_report_is_not() -> None:
    text = "Keep the rows in `fence-state.json`.\n\nRead `fence-state.json` first.\n\n{}\n"
    assert list(added_states(skill(text.format("Also write each row to `progress.json`."))))
    assert not list(added_states(skill(text.format("Also write what was done to `report.md`."))))


def test_a_name_almost_a_fields_is_found() -> None:
    text = '```json\n{"posts": 4, "row_gap": 200, "gates": []}\n```\n\nKeep each gate in the field `gate_history`.\n'
    assert [one.right for one in near_names(skill(text))] == ["gates"]
    assert not list(near_names(skill(text.replace("gate_history", "weather"))))
