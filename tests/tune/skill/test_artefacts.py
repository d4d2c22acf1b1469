import pytest

from tests.tune.skill.reading import only, skill, touched


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("Write the plan to `{dir}/plan.json`.", "write"),
        ("Save as `{dir}/plan.json`", "write"),
        ("把结果写入 `{dir}/plan.json`", "write"),
        ("输出到 `{dir}/plan.json`", "write"),
        ("Copy the draft to `{dir}/plan.json`.", "write"),
        ("`{dir}/plan.json` is written by the planner.", "write"),
        ("Read `{dir}/plan.json` first.", "read"),
        ("读取 `{dir}/plan.json`", "read"),
        ("Load the tasks from `{dir}/plan.json`", "read"),
        ("Work according to `{dir}/plan.json`.", "read"),
        ("**Output**: `{dir}/plan.json`", "declare"),
        ("- Input: `{dir}/plan.json`", "declare"),
        ("**输出**：`{dir}/plan.json`", "declare"),
        ("| 1 | writes `{dir}/plan.json` |", "declare"),
        ("Never write to `{dir}/plan.json`.", "declare"),
        ("Delete `{dir}/plan.json`.", "declare"),
        ("Keep `{dir}/plan.json` small.", "declare"),
    ],
)
def test_words_tell_what_becomes_of_a_file(text: str, mode: str) -> None:
    assert touched(skill(f"# S\n\n{text}\n")) == [("<dir>/plan.json", mode)]


@pytest.mark.parametrize(
    ("code", "mode"),
    [
        ("Write(`${dir}/plan.json`, JSON.stringify(plan))", "write"),
        ("Edit({ file_path: `${dir}/plan.json`, old_string: a, new_string: b })", "write"),
        ("const p = JSON.parse(Read(`${dir}/plan.json`))", "read"),
        ("fs.writeFileSync(path.join(dir, 'plan.json'), text)", "write"),
        ("fs.readFileSync(`${dir}/plan.json`)", "read"),
        ("Bash(`cat ${dir}/plan.json | jq .`)", "read"),
        ("Bash(`echo x > ${dir}/plan.json`)", "write"),
        ("if (exists(`${dir}/plan.json`)) go()", "read"),
    ],
)
def test_calls_tell_it_for_certain(code: str, mode: str) -> None:
    artefact = only(skill(f"# S\n\nDo this:\n\n```javascript\n{code}\n```\n"))
    assert (artefact.name, artefact.mode) == ("<dir>/plan.json", mode)


@pytest.mark.parametrize(
    ("command", "modes"),
    [
        ("jq .a $RUN/a.json > $RUN/b.json", ["read", "write"]),
        ("cp $RUN/a.json $RUN/b.json", ["read", "write"]),
        ("mv -f $RUN/a.json $RUN/b.json", ["read", "write"]),
        ("sort < $RUN/a.json | tee $RUN/b.json", ["read", "write"]),
        ("cat $RUN/a.json >> $RUN/b.json", ["read", "write"]),
        ("tool --in $RUN/a.json --output $RUN/b.json", ["declare", "write"]),
        ("rm $RUN/a.json && touch $RUN/b.json", ["declare", "write"]),
    ],
)
def test_shell_commands_tell_it(command: str, modes: list[str]) -> None:
    read = skill(f"# S\n\nRun:\n\n```bash\n{command}\n```\n")
    assert [a.mode for a in read.artefacts] == modes


def test_a_call_is_known_by_its_index() -> None:
    read = skill("# S\n\n```js\nconst a = Glob('*.x')\nconst s = JSON.parse(Read(`${dir}/state.json`))\n```\n")
    (artefact,) = read.artefacts
    assert read.calls[artefact.call].name == "Read"


def test_calls_of_later_pages_keep_their_indices() -> None:
    read = skill({
        "SKILL.md": "# S\n\n```js\nWrite(`${dir}/a.json`, x)\n```\n",
        "phases/01-a.md": "# A\n\n```js\nRead(`${dir}/a.json`)\n```\n",
        "phases/02-b.md": "# B\n\n```js\nWrite(`${dir}/b.json`, y)\n```\n",
    })  # fmt: skip
    for artefact in read.artefacts:
        call = read.calls[artefact.call]
        assert (call.at.file, call.name) == (artefact.at.file, "Read" if artefact.mode == "read" else "Write")
        assert call.at.start < artefact.at.start < call.at.end
    assert [a.at.phase for a in read.artefacts] == [None, "phases/01-a.md", "phases/02-b.md"]


def test_a_path_in_a_variable_is_followed() -> None:
    code = "const p = `${dir}/state.json`\nWrite(p, text)\nconst q = `${dir}/parts`\nRead(`${q}/a.json`)"
    read = skill(f"# S\n\n```js\n{code}\n```\n")
    assert ("<dir>/state.json", "write") in touched(read)
    assert ("<dir>/parts/a.json", "read") in touched(read)


def test_a_bare_name_lies_in_the_folder_of_the_run() -> None:
    read = skill(
        "# S\n\nWrite `plan.json`.\n\nRead `${dir}/plan.json`.\n\nOpen `parts/a.json`, then `${dir}/parts/b.json`.\n"
    )
    assert {a.name for a in read.artefacts} == {"<dir>/plan.json", "<dir>/parts/a.json", "<dir>/parts/b.json"}


def test_a_bare_name_is_the_one_file_of_that_name() -> None:
    read = skill("# S\n\nWrite `${dir}/parts/index.json`.\n\nRead `index.json`.\n")
    assert {a.name for a in read.artefacts} == {"<dir>/parts/index.json"}


@pytest.mark.parametrize(
    "text",
    ["`package.json`", "Read `README.md`.", "`src/a.ts`", "[x](out.md)", "https://a.b/c.json", "`*.json`", "Node.js",
     "edit `CLAUDE.md`", "`phases/01-a.md`"],
)  # fmt: skip
def test_other_files_are_no_artefacts(text: str) -> None:
    assert skill({"SKILL.md": f"# S\n\n{text}\n", "phases/01-a.md": "# A\n"}).artefacts == ()


def test_a_file_that_may_be_absent_is_told() -> None:
    read = skill("# S\n\nRead `${dir}/a.json` if it exists. \n\nRead `${dir}/b.json`.\n")
    assert [a.optional for a in read.artefacts] == [True, False]


def test_the_text_of_a_prompt_speaks_in_words() -> None:
    text = "# S\n\n```js\nTask({ prompt: `Read ${dir}/a.json.\nWrite the list to ${dir}/b.json` })\n```\n"
    read = skill(text)
    assert touched(read) == [("<dir>/a.json", "read"), ("<dir>/b.json", "write")]
    assert {a.at.use for a in read.artefacts} == {"prompt"}
