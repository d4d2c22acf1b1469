"""Which file is written in which language, by its name."""

LANGUAGES: dict[str, str] = {
    "py": "Python", "pyi": "Python", "pyx": "Cython",
    "js": "JavaScript", "cjs": "JavaScript", "mjs": "JavaScript", "jsx": "JavaScript",
    "ts": "TypeScript", "cts": "TypeScript", "mts": "TypeScript", "tsx": "TypeScript",
    "go": "Go", "rs": "Rust", "java": "Java", "kt": "Kotlin", "scala": "Scala", "groovy": "Groovy",
    "c": "C", "h": "C", "cc": "C++", "cpp": "C++", "hpp": "C++", "cs": "C#", "rb": "Ruby", "php": "PHP",
    "swift": "Swift", "lua": "Lua", "sh": "Shell", "bash": "Shell", "sql": "SQL", "vue": "Vue", "svelte": "Svelte",
}  # fmt: skip


def language_of(path: str) -> str:
    """Empty for what is no source code."""
    _, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return LANGUAGES.get(suffix.lower(), "") if dot else ""
