"""Acceptance criteria in a task, as people write them in issues."""

from loopwright.evidence.goals import MATERIAL, acceptance_criteria, asked_words, asks_only_for_green_tests
from tests.tables import each

STORY = """## As a clerk I want an export

## Acceptance criteria
*What can be verified?*
- The export is JSON
  with two spaces
- It has every field:
  - name
  - day
1. numbered too

## Tasks
1. - [x] write it
2. - [ ] tell the others
"""
TEMPLATE = """**Acceptance criteria**
<!-- Each has a clear outcome:
- [ ] hidden
-->
- [ ] [first](https://example.org) works
* [X] done
- [ ] second
  - [x] half
  - [ ] other half

### Checklist
- [ ] I have searched the issues
- [ ] I've read CONTRIBUTING
- [ ] documented
- not a box
"""
SCENARIOS = """ACCEPTANCE CRITERIA
- I can read a definition
- Given a user
- **When** they export
- Then there is a file

```
- [ ] an example
```
~~~~
```
- [ ] another
~~~~
"""
QUOTED = f"""Make the tests pass

{MATERIAL}

> # Title
> Acceptance criteria:
> * one
>
> * two
> ```text
> - [ ] output
> ```

--- ITERATION 2 ---
- [ ] and this
"""


@each(
    ("goal", "found"),
    [
        (
            STORY,
            ("The export is JSON with two spaces", "It has every field: name day", "numbered too", "tell the others"),
        ),
        (TEMPLATE, ("[first](https://example.org) works", "second", "other half", "documented")),
        (SCENARIOS, ("I can read a definition", "Given a user; **When** they export; Then there is a file")),
        (QUOTED, ("one", "two", "and this")),
        ("Closure:\n- [ ] a field, apart\n  from others\n\nEnd", ("a field, apart from others",)),
        ("Definition of done:\n- Acceptance criteria met\n- reviewed", ()),
        ("Acceptance criteria: fast, and small", ()),
        ("## Acceptance criteria\n### Speed\n- fast\n## Notes\n- none", ("fast",)),
        ("- [ ] once\n- [ ] once", ("once",)),
        ("Fix it\n- a\n- b", ()),
        ("", ()),
    ],
)
def test_what_is_open_is_found(goal: str, found: tuple[str, ...]) -> None:
    assert acceptance_criteria(goal) == found


def test_a_goal_of_lists_alone_is_bounded() -> None:
    found = acceptance_criteria("\n".join(f"- [ ] {n} {'x' * 2000}" for n in range(10_000)))
    assert len(found) == 50
    assert {len(one) for one in found} == {500}


def test_material_is_not_what_was_asked_for() -> None:
    assert asked_words(QUOTED) == "Make the tests pass\n\n--- ITERATION 2 ---\n- [ ] and this"
    assert asks_only_for_green_tests(f"Make the tests pass\n\n{MATERIAL}\n\n> whatever")
    assert not asks_only_for_green_tests(QUOTED)
