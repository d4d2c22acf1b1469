"""A skill with several things wrong, for pages that show what tuning finds: four phases, roles, a spec."""

from pathlib import Path

FILES = {
    "SKILL.md": """\
---
name: survey
description: Reads the documents of a project with several agents and writes one report about them.
allowed-tools: Task, Read, Write, Glob, AskUserQuestion
---

# Survey

Everything of one run is in `${runDir}`. The request of the user is `request`.

Read [the report's form](specs/report.md) and [the tone](specs/voice.md) before you begin.

## Phases

| Phase | File |
|---|---|
| 1. Collect | [phases/01-collect.md](phases/01-collect.md) |
| 2. Review | [phases/02-review.md](phases/02-review.md) |
| 3. Compare | [phases/03-compare.md](phases/03-compare.md) |
| 4. Write | [phases/04-write.md](phases/04-write.md) |
""",
    "phases/01-collect.md": """\
# 1. Collect

## Objective

A list of the documents that matter to the request.

## Steps

```js
const found = Glob("docs/**/*.md")
Write(`${runDir}/documents.json`, JSON.stringify(found))
```

## Output

`${runDir}/documents.json`.
""",
    "phases/02-review.md": """\
# 2. Review

## Objective

What each document says about the request.

## Steps

```js
const documents = JSON.parse(Read(`${runDir}/documents.json`))
const answers = []
for (const document of documents) {
  const answer = Task({
    subagentType: "general-purpose",
    description: "review one document",
    prompt: `
Goal of the user: ${request}
Review the document ${document.path}.
What was found so far: ${answers.join("\\n")}
Return at most 10 lines.`
  })
  if (!answer) continue
  answers.push(answer)
}
Write(`${runDir}/answers.json`, JSON.stringify(answers))
```

## Output

`${runDir}/answers.json`.
""",
    "phases/03-compare.md": """\
# 3. Compare

## Objective

Where the documents disagree.

## Steps

Read [the answers' form](../specs/report.md) again.

```js
const answers = JSON.parse(Read(`${runDir}/answers.json`))
while (true) {
  const next = Task({
    subagent_type: "general-purpose",
    Description: "look for a disagreement",
    prompt: `Compare these: ${JSON.stringify(answers)}. Say where two of them disagree.`
  })
  if (next.includes("none")) break
  Write(`${runDir}/conflicts.md`, next)
}
```

## Output

`${runDir}/conflicts.md`.
""",
    "phases/04-write.md": """\
# 4. Write

## Objective

The report.

## Steps

```js
const conflicts = Read(`${runDir}/conflict.md`)
Write(`${runDir}/report.md`, report)
AskUserQuestions({ questions: [{ question: "Shall it be published?", options: ["yes", "no"] }] })
```

Follow [the checklist](../specs/checks.md).

## Output

`${runDir}/report.md`.
""",
    "specs/report.md": "# The report\n\n"
    + "Each part has a title, at most five sentences, and the file it comes from.\n" * 60,
}


def survey(project: Path, name: str = "survey") -> str:
    """Its folder, relative to the project."""
    for path, text in FILES.items():
        place = project / ".claude" / "skills" / name / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return f".claude/skills/{name}"
