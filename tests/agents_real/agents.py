"""How each agent is started and set up, so that it knows nothing but a folder of ours and the scripted model."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

MARKER = "LOOPWRIGHT_REAL_AGENT"
"""Environment variable that tags every process of a test's agent; its value is the home's path."""


@dataclass(frozen=True)
class Setup:
    """An agent's own part. `files` are below its home; `mode` is set in every session."""

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    mode: str | None = None


@dataclass(frozen=True)
class RealAgent:
    """A program that is ready to be started, by the words people use.

    `environment` is complete: nothing of ours is inherited, and its PATH finds the program.
    """

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    home: Path
    mode: str | None


def codex(model: str) -> Setup:
    """Speaks the responses dialect.

    It warns in the conversation when it does not know the model's name. In its own default mode, "agent", a second
    model decides what is allowed, and the client is never asked.
    """
    config = f"""\
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{model}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1

[analytics]
enabled = false
"""
    return Setup(
        argv=("codex-acp",),
        environment={"SCRIPTED_KEY": "none"},
        files={".codex/config.toml": config},
        mode="workspace-write",
    )


def qwen(model: str) -> Setup:
    """Speaks the chat dialect.

    Without `approvalMode` it starts in "auto", where a second model decides what is allowed; without the rest it asks
    the model after every turn what to remember and what the user may want to say next.
    """
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True, "disableUpdateNag": True},
        "tools": {"approvalMode": "default"},
        "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False, "enableAutoSkill": False},
        "ui": {"enableFollowupSuggestions": False},
    }
    return Setup(
        argv=("qwen", "--acp"),
        environment={"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{model}/v1", "OPENAI_MODEL": "scripted"},
        files={".qwen/settings.json": json.dumps(settings)},
    )


def gemini(model: str) -> Setup:
    """Speaks Google's dialect."""
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    }
    return Setup(
        argv=("gemini", "--acp"),
        environment={
            "GEMINI_API_KEY": "none",
            "GEMINI_MODEL": "gemini-2.5-pro",
            "GOOGLE_GEMINI_BASE_URL": model,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        files={".gemini/settings.json": json.dumps(settings)},
    )


def opencode(model: str) -> Setup:
    """Speaks the chat dialect, and asks for a title first."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{model}/v1", "apiKey": "none"},
        "models": {"scripted": {"name": "scripted"}},
    }
    settings = {
        "provider": {"scripted": provider},
        "model": "scripted/scripted",
        "autoupdate": False,
        "share": "disabled",
        "permission": {"edit": "ask", "bash": "ask"},
    }
    return Setup(
        argv=("opencode", "acp"),
        environment={"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
        files={".config/opencode/opencode.json": json.dumps(settings)},
    )


AGENTS: Mapping[str, Callable[[str], Setup]] = {
    "codex": codex,
    "qwen": qwen,
    "gemini": gemini,
    "opencode": opencode,
}


def real_agent(name: str, modules: Path, model: str, home: Path) -> RealAgent:
    """Writes the agent's files into a fresh home. `model` is the scripted model's address."""
    setup = AGENTS[name](model)
    for path, text in setup.files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, encoding="utf-8")
    (home / "tmp").mkdir(parents=True, exist_ok=True)
    return RealAgent(name, setup.argv, {**_base(home, modules), **setup.environment}, home, setup.mode)


def _base(home: Path, modules: Path) -> Mapping[str, str]:
    node = Path(shutil.which("node") or "node")
    folders = {"CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state", "CACHE": ".cache"}
    return {
        "PATH": os.pathsep.join([str(modules / ".bin"), str(node.parent), "/usr/local/bin", "/usr/bin", "/bin"]),
        "HOME": str(home),
        **{f"XDG_{name}_HOME": str(home / folder) for name, folder in folders.items()},
        "TMPDIR": str(home / "tmp"),
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        "NO_COLOR": "1",
        "DO_NOT_TRACK": "1",
        MARKER: str(home),
    }
