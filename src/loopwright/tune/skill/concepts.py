"""What a section is about, told by its title in English or Chinese."""

import re
from functools import lru_cache

from loopwright.tune.skill.cues import Cue, Cues
from loopwright.tune.skill.model import Concept

TITLES: dict[Concept, tuple[str, ...]] = {
    "negative": (
        "anti-patterns", "anti patterns", "antipatterns", "anti-pattern", "don't", "don'ts", "dont", "don’t", "don’ts",
        "bad", "wrong", "incorrect", "avoid", "what not to do", "pitfalls", "common mistakes", "red flags", "before",
        "反模式", "反例", "错误示例", "错误做法", "常见错误", "常见误区", "反面示例", "常见陷阱", "应避免的反模式",
        "避免",
    ),
    "example": (
        "example", "examples", "usage", "usage examples", "demo", "quick start", "quickstart", "good", "correct",
        "after", "示例", "例子", "例", "用法", "使用示例", "快速开始", "使用方法", "正确示例",
    ),
    "reference": (
        "how it works", "background", "faq", "changelog", "version history", "introduction", "why", "why this matters",
        "rationale", "motivation", "installation", "install", "license", "credits", "acknowledgements",
        "further reading", "learn more", "core concepts", "key concepts", "concepts", "quick reference", "cheat sheet",
        "real-world impact", "real-world examples", "case study", "背景", "工作原理", "运作方式", "原理", "常见问题",
        "更新日志", "变更日志", "版本历史", "版本变更",
        "变更说明", "what's new", "what changed", "key changes", "简介", "介绍", "核心概念", "快速参考", "安装",
        "设计理念", "设计思路",
    ),
    "constraints": (
        "constraints", "constraint", "guardrails", "rules", "core rules", "key rules", "critical rules", "hard rules",
        "must not", "must", "boundaries", "non-negotiables", "principles", "core principles", "best practices",
        "requirements", "do's and don'ts", "important", "critical", "guidelines", "key design principles",
        "invariants", "mandatory", "forbidden", "prohibited", "policy", "policies", "约束", "约束条件", "规则",
        "核心规则", "关键规则", "禁止", "必须遵守", "禁止事项", "原则", "核心原则", "注意事项", "边界", "限制条件",
        "最佳实践", "铁律", "红线", "强制要求", "要求", "设计原则", "行为约束", "重要",
    ),
    "goal": (
        "goal", "goals", "objective", "objectives", "purpose", "mission", "task", "your task", "aim", "intent",
        "step goal", "the task", "what this skill does", "what it does", "what you do", "the job", "目标", "目的",
        "任务", "任务目标", "任务描述", "核心目标", "使命", "用途",
    ),
    "input": (
        "input", "inputs", "arguments", "parameters", "input parameters", "prerequisites", "preconditions", "context",
        "expected input", "required input", "args", "what you get", "what you need", "requires", "you receive", "输入",
        "参数", "前置条件", "前提条件", "输入参数", "输入数据", "先决条件", "上下文",
    ),
    "output": (
        "output", "outputs", "deliverables", "deliverable", "output format", "output files", "artifacts", "artefacts",
        "output artifacts", "report format", "output structure", "output template", "results", "result", "produces",
        "writes", "output contract", "output schema", "outputs and artifacts", "output specification", "输出", "产出",
        "交付物", "输出格式", "输出文件", "产物", "输出结构", "输出规范", "输出产物", "产出物",
    ),
    "return": (
        "return", "returns", "return format", "return value", "return values", "response format", "return contract",
        "what to return", "response", "final response", "reply", "reply format", "report back", "response contract",
        "返回", "返回格式", "返回值", "返回结果", "返回内容", "返回约定", "回复格式", "返回摘要",
    ),
    "recovery": (
        "recovery", "resume", "resuming", "resume protocol", "recovery protocol", "session recovery", "restart",
        "checkpoint recovery", "resumption", "crash recovery", "continue", "continuing", "resume support", "恢复",
        "断点续传", "断点恢复", "会话恢复", "恢复机制", "续跑", "恢复执行", "中断恢复", "恢复协议",
    ),
    "errors": (
        "error handling", "errors", "failure handling", "failure modes", "failures", "fallback", "fallbacks",
        "on failure", "if something fails", "troubleshooting", "error recovery", "when things go wrong", "escalation",
        "exceptions", "edge cases", "halt conditions", "when it fails", "错误处理", "异常处理", "失败处理", "错误",
        "异常", "故障排查", "降级策略", "错误恢复", "故障排除", "容错",
    ),
    "limits": (
        "limits", "limit", "budget", "budgets", "token budget", "timeouts", "timeout", "iteration limits", "bounds",
        "rate limits", "stop conditions", "termination", "exit conditions", "termination conditions", "caps", "限制",
        "上限", "预算", "超时", "迭代上限", "终止条件", "停止条件", "超时设置", "退出条件", "执行限制",
    ),
    "auto": (
        "auto mode", "automatic mode", "--yes", "--auto", "headless mode", "autonomous mode", "unattended mode",
        "non-interactive mode", "auto mode defaults", "yolo mode", "two modes", "modes", "headless", "自动模式",
        "无人值守", "全自动模式", "自动执行", "自动模式默认值", "交互模式",
    ),
    "checkpoint": (
        "checkpoint", "checkpoints", "checkpointing", "progress tracking", "save points", "saving progress",
        "progress", "persistence", "检查点", "进度跟踪", "进度保存", "断点", "存档点", "进度",
    ),
    "validation": (
        "validation", "verification", "quality gate", "quality gates", "quality checklist", "checklist", "verify",
        "acceptance criteria", "success criteria", "success metrics", "definition of done", "self-check", "done when",
        "validate", "verification steps", "review checklist", "quality check", "quality standards", "final checklist",
        "验证", "校验", "质量门禁", "检查清单", "验收标准", "成功标准", "质量标准", "自检", "质量检查", "完成标准",
    ),
    "state": (
        "state", "state schema", "state management", "state structure", "state file", "session state", "state machine",
        "session structure", "data model", "initial state", "state fields", "schema", "data structures", "状态",
        "状态管理", "状态结构", "状态文件", "状态定义", "状态模式", "会话结构", "数据结构", "会话状态",
    ),
    "tools": (
        "tools", "allowed tools", "available tools", "tool usage", "tool requirements", "mcp tools", "tooling",
        "host mapping", "tool use", "工具", "可用工具", "工具使用", "允许的工具", "工具调用",
    ),
    "when": (
        "when to use", "when not to use", "when to activate", "use when", "do not use when", "trigger", "triggers",
        "activation", "on activation", "when to use it", "when to use this skill", "use_when", "do_not_use_when",
        "trigger conditions", "when to apply", "何时使用", "何时激活", "何时启用", "使用场景", "适用场景", "使用时机",
        "触发条件", "触发", "何时不使用", "不适用场景",
    ),
    "steps": (
        "steps", "workflow", "process", "procedure", "instructions", "execution", "execution flow", "execution steps",
        "phases", "protocol", "implementation", "sequence", "flow", "core workflow", "actions", "approach",
        "execution process", "how it runs", "method", "pipeline", "步骤", "流程", "工作流程", "工作流", "执行流程",
        "执行步骤", "执行过程", "阶段", "操作步骤", "执行", "流程概览",
    ),
}  # fmt: skip
"""Whole titles, in small letters, without numbers, marks and emojis."""

WORDS: Cues[Concept] = Cues(
    Cue("negative",
        "anti-pattern, anti-patterns, antipatterns, anti pattern, anti patterns, common mistakes, pitfalls,"
        " what not to do, red flags, mistakes to avoid",
        "反模式, 反例, 错误示例, 错误做法, 常见错误, 误区, 陷阱"),
    Cue("example", "example, examples, sample, samples", "示例, 样例, 举例, 例子"),
    Cue("when",
        "when to use, when not to use, when to activate, when to apply, when to trigger, when to invoke,"
        " when to skip, trigger, triggers",
        "使用场景, 适用场景, 何时, 触发"),
    Cue("auto",
        "auto mode, automatic mode, autonomous mode, headless, unattended, non-interactive, yolo, --yes, --auto",
        "自动模式, 无人值守"),
    Cue("recovery", "resume, resuming, resumption, resumable, recovery, recover, recovering", "断点, 续传, 恢复, 续跑"),
    Cue("errors",
        "error, errors, failure, failures, fail, fails, failed, failing, fallback, fallbacks, troubleshooting,"
        " troubleshoot, edge cases, halt conditions",
        "错误, 异常, 失败, 出错, 故障, 降级, 容错"),
    Cue("return", "return, returns, response format, response contract, response schema, response shape",
        "返回, 回复格式"),
    Cue("checkpoint", "checkpoint, checkpoints, checkpointing, progress tracking, progress file, progress log",
        "检查点, 进度"),
    Cue("limits",
        "limit, limits, budget, budgets, timeout, timeouts, time-out, stop conditions, stop condition,"
        " exit criteria, exit conditions, stopping criteria, termination",
        "上限, 预算, 超时, 终止条件, 停止条件, 限制"),
    Cue("validation",
        "validate, validation, validating, verify, verification, verifying, quality gate, quality gates,"
        " quality bar, quality check, quality checks, quality standards, quality assurance, checklist,"
        " acceptance criteria, success criteria, success metrics, definition of done",
        "验证, 校验, 质量, 检查, 验收"),
    Cue("state", "state, schema, data model, data structure, data structures", "状态, 数据结构, 数据模型"),
    Cue("constraints",
        "constraint, constraints, guardrail, guardrails, rules, rule, must, never, non-negotiable,"
        " non-negotiables, principles, best practices, boundaries, guidelines, hard stops, hard gates, do not,"
        " invariants, restrictions, requirements",
        "约束, 规则, 禁止, 必须, 原则, 边界, 铁律, 红线, 注意事项, 最佳实践"),
    Cue("output",
        "output, outputs, deliverable, deliverables, artifact, artifacts, artefact, artefacts, report format,"
        " report structure, report template",
        "输出, 产出, 交付, 产物"),
    Cue("input", "input, inputs, arguments, parameters, prerequisite, prerequisites, preconditions",
        "输入, 参数, 前置, 前提"),
    Cue("goal", "goal, goals, objective, objectives, purpose, mission", "目标, 目的, 任务说明, 任务描述, 任务概述"),
    Cue("reference",
        "how it works, how this works, how they work, background information, background knowledge, background reading,"
        " background and, project background, faq, cheat sheet, cheatsheet, rationale,"
        " quick reference, key changes, changes from, changes since, what changed, what's new, release notes,"
        " migration from",
        "背景, 工作原理, 常见问题, 速查, 版本变更, 变更说明, 与旧版"),
    Cue("tools", "tool, tools, tooling", "工具"),
    Cue("steps", "step, steps, workflow, workflows, process, procedure, instructions, pipeline, phase, phases",
        "步骤, 流程, 阶段, 工作流"),
)  # fmt: skip
"""Words in a longer title; the first row that is found decides."""

_STEP = re.compile(
    r"(?:phase|step|stage|round|part) ?(?:\d|[a-z]\b|[ivx]+\b)|第.{1,3}[步阶轮]"
    r"|(?:步骤|阶段) ?[\d一二三四五六七八九十]"
)
_SEARCHES = re.compile(
    r"^(?:check|find|identify|review|fix|log|record|learn|analy[sz]e|report|hunt|flag)\b|\b(?:detect|scan)"
    r"|检测|识别|扫描|查找"
)
_EXACT: dict[str, Concept] = {title: concept for concept, titles in TITLES.items() for title in titles}
_NUMBER = re.compile(r"(?:\d++(?:\.\d++)*+|[ivx]+|[a-h]|[一二三四五六七八九十]+)(?:[.)、:：]+\s*|(?<=\d)\s+)")
_MARKUP = str.maketrans({**dict.fromkeys("*`~[]<>"), "’": "'"})
_WORDS_ONLY = re.compile(r"[A-Za-z](?:[A-Za-z &/-]*[A-Za-z])?")
_BEFORE = re.compile(r"[^\w-]*_*")
_AFTER = "_ \t.:：!！?？。#-—–✅❌⚠️🚫"
_ASIDE = re.compile(r"\s{0,8}[(（][^()（）]*[)）]\s{0,8}")
LONGEST = 120
"""Characters of a title that are looked at."""


def plain(title: str) -> str:
    """A title in small letters without numbers, markup, emojis and punctuation around it."""
    if _WORDS_ONLY.fullmatch(title):
        return title.casefold()
    words = title[:LONGEST].translate(_MARKUP).casefold()
    words = _BEFORE.sub("", words, count=1)
    number = _NUMBER.match(words)
    if number and number.end() < len(words):
        words = words[number.end() :]
        words = _BEFORE.sub("", words, count=1)
    return words.rstrip(_AFTER).strip()


_WAS = re.compile(
    r"(?:优化|改进|重构|改造|修改)前(?!后)|before (?:(?:the )?(?:optimi[sz]ation|refactor(?:ing)?|change))\b"
)
"""What is no longer done so: the way it is done stands below."""


@lru_cache(maxsize=8192)
def concept_of(title: str) -> Concept | None:
    """The concept of a section with this title, or None where its title does not tell."""
    words = plain(title)
    whole = _EXACT.get(words)
    if whole is None and words.endswith((")", "）")):
        whole = _EXACT.get(_ASIDE.sub(" ", words).strip())
    if whole is not None:
        return whole
    if _STEP.match(words):
        return "steps"
    if _WAS.match(words):
        return "negative"
    found = WORDS.find(words)
    return "steps" if found == "negative" and _SEARCHES.search(words) else found
