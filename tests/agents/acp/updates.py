"""Updates as agents send them, made up by hypothesis."""

from typing import Any

from acp import schema
from hypothesis import strategies as st

from loopwright.agents.acp.updates import SessionUpdate

Update = dict[str, Any]  # Any: JSON

IDS = st.sampled_from(["c1", "c2", "c3"])
TEXTS = st.text(max_size=20)
PATHS = st.sampled_from(
    ["/p/a.txt", "/p/sub/b.txt", "/real/p/c.txt", "/elsewhere/d.txt", "e.txt", "../f.txt", "/p", "/pp/g"]
)
STATUSES = st.sampled_from(["pending", "in_progress", "completed", "failed"])
KINDS = st.sampled_from(["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"])


def chunk(text: str, message: str | None = None, **more: Any) -> Update:
    named = {} if message is None else {"messageId": message}
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}, **named, **more}


def call(id: str, *, is_new: bool = False, **more: Any) -> Update:
    kind = "tool_call" if is_new else "tool_call_update"
    return {"sessionUpdate": kind, "toolCallId": id, **({"title": ""} if is_new else {}), **more}


def diff(path: str) -> Update:
    return {"type": "diff", "path": path, "oldText": None, "newText": "x"}


def text(words: str) -> Update:
    return {"type": "content", "content": {"type": "text", "text": words}}


def read(update: Update) -> SessionUpdate:
    """As the library understands it."""
    return schema.SessionNotification.model_validate({"sessionId": "s", "update": update}).update


CALLS = st.builds(
    lambda id, is_new, more: call(id, is_new=is_new, **more),
    IDS,
    st.booleans(),
    st.fixed_dictionaries(
        {},
        optional={
            "title": TEXTS,
            "status": STATUSES,
            "kind": KINDS,
            "locations": st.lists(PATHS.map(lambda path: {"path": path}), max_size=3),
            "content": st.lists(PATHS.map(diff) | TEXTS.map(text), max_size=3),
            "rawInput": st.fixed_dictionaries({}, optional={"command": TEXTS, "file_path": PATHS}),
            "_meta": st.just({"terminal_output_delta": {"data": "more"}}),
        },
    ),
)
CHUNKS = st.builds(chunk, TEXTS, st.sampled_from([None, "m1", "m2"]))
THOUGHTS = TEXTS.map(lambda t: {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": t}})
OTHERS = st.sampled_from(
    [
        {"sessionUpdate": "available_commands_update", "availableCommands": []},
        {"sessionUpdate": "current_mode_update", "currentModeId": "plan"},
        {"sessionUpdate": "usage_update", "used": 1, "size": 2},
        {"sessionUpdate": "plan", "entries": [{"content": "a", "priority": "low", "status": "pending"}]},
        {"sessionUpdate": "session_info_update", "_meta": {"codex": {"threadStatus": {"type": "idle"}}}},
        {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "mine"}},
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "resource_link", "name": "n", "uri": "u"}},
    ]
)
UPDATES = CALLS | CHUNKS | THOUGHTS | OTHERS
