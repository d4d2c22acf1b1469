"""What the journal and the logs say, in words for people; the raw names are for --json. Pure, one table a kind."""

from collections.abc import Callable
from typing import Any

from loopwright.core.record import JournalEntry
from loopwright.core.text import clean_line

Fields = dict[str, Any]  # Any: parsed JSON; what is missing raises KeyError, and is told as it stands

ANSWERS = {"allow": "allowed", "deny": "denied"}

EVENTS: dict[str, Callable[[Fields], str]] = {
    "created": lambda f: "created",
    "started": lambda f: "started",
    "lease_taken": lambda f: "a runner takes over",
    "running": lambda f: "running",
    "resumed": lambda f: f"resumed{': ' + f['why'] if f.get('why') else ''}",
    "reopened": lambda f: "reopened",
    "paused": lambda f: "paused",
    "stopped": lambda f: "stopped for good",
    "summarised": lambda f: "summary written",
    "attempt_kept": lambda f: "its files are kept as a checkpoint",
    "attempts_settled": lambda f: (
        f"of all attempts {f['winner']} was chosen" if f["winner"] else "no attempt was chosen"
    ),
    "exited": lambda f: "exited from the menu",
    "answered": lambda f: "the question was answered",
    "menu_opened": lambda f: f"waits for a choice: {f['choices']}",
    "menu_chosen": lambda f: f"{f['choice']} is chosen",
    "question_asked": lambda f: f"asks: {f['question']}",
    "question_taken": lambda f: "the question no longer needs an answer",
    "permission_asked": lambda f: f"{f['request']}: {f['words']}",
    "permission_answered": lambda f: f"{f['request']} is {ANSWERS[f['answer']]}",
    "permission_taken": lambda f: f"the agent continues, {f['request']} is {ANSWERS[f['answer']]}",
    "permission_withdrawn": lambda f: f"{f['request']} no longer needs an answer",
    "permissions_forgotten": lambda f: "an earlier runner's requests no longer need an answer",
    "edited": lambda f: f"{f.get('fields') or 'limit'} edited",
    "task_added": lambda f: f"task {f['task']} added",
    "tasks_generated": lambda f: f"tasks proposed by {f['agent']} added: {f['tasks']}",
    "issue_imported": lambda f: f"tasks of issue {f['issue']} added: {f['tasks']}",
    "task_edited": lambda f: f"task {f['task']} edited",
    "task_removed": lambda f: f"task {f['task']} removed",
    "tasks_reordered": lambda f: "tasks reordered",
    "worktree_planned": lambda f: f"gets a worktree on branch {f['branch']}",
    "worktree_ready": lambda f: f"works in {f['path']}",
    "committed": lambda f: f"committed {f['commit'][:10]}" if f.get("commit") else "not committed yet",
    "apply_begun": lambda f: f"begins to apply {f['files']} files to the project",
    "apply_undone": lambda f: "the project is as it was before the attempt to apply",
    "applied": lambda f: f"applied {f['files']} files to the project",
    "branched": lambda f: f"branch {f['branch']} holds its result",
    "pull_request": lambda f: f"pull request {f['url']}",
    "rewound": lambda f: f"rewound to checkpoint {f['to']}",
    "chosen": lambda f: f"fixes are chosen: {f.get('fixes') or 'none'}",
    "rolled_back": lambda f: f"{f['fix']} is rolled back",
    "put_back": lambda f: "the skill's files are as they were before the pending fixes",
    "action_started": lambda f: f"{f['action']} {f.get('task') or ''}".rstrip(),
    "action_finished": lambda f: f"{f['action']}: {f['result']}{_reasons(f)}",
    "step_started": lambda f: f"{f['step']} {f.get('task') or f.get('fix') or ''}".rstrip(),
    "step_finished": lambda f: f"{' '.join(filter(None, (f['step'], f.get('task'))))}: {f['result']}",
    "extended": lambda f: f"the task is extended: {f['text']}",
    "decided": lambda f: f"{f['decision']} is decided: {f['option']}" if f.get("decision") else "decided",
    "resolved": lambda f: f"{f['blocker']} is resolved: {f['resolution']}",
    "waiting": lambda f: "waits for a person",
    "taken_over": lambda f: f"taken over from a runner that died during {_broken(f)}",
    "session": lambda f: f"session with {f['agent']} opened",
    "session_left": lambda f: f"session with {f['agent']} abandoned",
    "told": lambda f: f"{f['message']}: a person tells the agent: {f['text']}",
    "message_sending": lambda f: f"{f['message']} is being delivered",
    "message_delivered": lambda f: f"{f['message']} is delivered",
    "message_answered": lambda f: f"{f['message']} is answered",
    "message_queued": lambda f: f"{f['message']} waits for the agent's next turn",
    "message_undelivered": lambda f: f"{f['message']} could not be delivered",
    "handed_over": lambda f: f"{f['handed_over']['to']} takes over from {f['handed_over']['by']}",
    "budget_held": lambda f: f"the {f['limit']} leaves no room for another turn",
    "rival_taken": lambda f: f"{f['rival']} replaced the patch",
    "notification_failed": lambda f: f["why"],
    "recovered": lambda f: f"state rebuilt from {f['from']}",
    "state_put_back": lambda f: f"last committed state restored: {f['reason']}",
    "journal_damaged": lambda f: f"lines of the journal were lost: {f['reason']}",
    "journal_started": lambda f: "journal started from the state file",
    "journal_accepted": lambda f: "a person took over its journal as it was found",
    "journal_forged": lambda f: f"another program changed {', '.join(f['put_back'])}; reverted",
    "external_change": lambda f: f"another program changed the state file{_taken(f)}",
    "deleted": lambda f: "deleted",
}
"""By type of event."""

ACTORS = {"cli": "on the command line", "person": "from the menu", "api": "over the API", "mcp": "by an agent's tool"}
"""Who it was, where that is not plain: runner and store speak for themselves."""


def surface_of(actor: str) -> str:
    """Of an actor: a command that came from another machine has its number behind that, as in cli#17."""
    return actor.partition("#")[0]


NOTES = {
    "action": "begins: {}", "activity": "{}", "result": "result: {}", "agent": "the agent answers: {}",
    "able": "{}", "message": "the agent is asked: {}", "turn": "the turn is over: {}",
    "session": "{}", "said": "the agent says: {}", "thought": "the agent thinks: {}", "plan": "the agent's plan: {}",
    "tool": "{}", "permission": "{}", "discovery": "found: {}", "usage": "used: {}", "trouble": "trouble: {}",
}  # fmt: skip
"""By kind of note in the transcript."""

CHANGES = {"create": "created", "modify": "changed", "delete": "deleted"}
"""What happened to a file."""


def event_words(entry: JournalEntry) -> str:
    """What happened, and by whom where that is not the runner."""
    data: Fields = dict(entry.event.data)
    by = ACTORS.get(surface_of(entry.actor))
    try:
        words = EVENTS[entry.event.type](data)
    except (KeyError, TypeError):
        words = _plainly(entry.event.type, data)
    return f"{words}, {by}" if by else words


def _plainly(type: str, fields: Fields) -> str:
    """An event of another version: its name and what it says."""
    about = ", ".join(f"{name} {value}" for name, value in fields.items())
    return clean_line(f"{type.replace('_', ' ')}{f': {about}' if about else ''}")


def _reasons(fields: Fields) -> str:
    reasons = fields.get("reasons")
    return f" ({'; '.join(map(str, reasons))})" if isinstance(reasons, list) and reasons else ""


def _broken(fields: Fields) -> str:
    steps = fields.get("steps")
    return ", ".join(map(str, steps)) or "nothing" if isinstance(steps, list) else str(fields["action"])


def _taken(fields: Fields) -> str:
    accepted, refused = (fields.get(name) or [] for name in ("accepted", "put_back"))
    taken = f"; accepted: {', '.join(accepted)}" if accepted else ""
    return f"{taken}; reverted: {', '.join(refused)}" if refused else taken
