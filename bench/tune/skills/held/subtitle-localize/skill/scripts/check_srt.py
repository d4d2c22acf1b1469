"""检查 SRT 的上屏指标，一行一个问题：条号 规则 实测值 上限。"""
import re
import sys

MAX_LINES, MAX_CHARS, MAX_CPS = 2, 16, 9.0
MIN_SEC, MAX_SEC, MIN_GAP = 0.8, 7.0, 0.08
STAMP = re.compile(r"(\d+):(\d+):(\d+),(\d+) --> (\d+):(\d+):(\d+),(\d+)")


def seconds(parts: tuple[str, ...]) -> float:
    hours, minutes, secs, millis = (int(p) for p in parts)
    return hours * 3600 + minutes * 60 + secs + millis / 1000


def cues(text: str):
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.splitlines()
        match = STAMP.match(lines[1]) if len(lines) > 2 else None
        if match:
            groups = match.groups()
            yield lines[0].strip(), seconds(groups[:4]), seconds(groups[4:]), lines[2:]


def main() -> None:
    previous_end = 0.0
    with open(sys.argv[1], encoding="utf-8-sig") as handle:
        text = handle.read()
    for number, start, end, lines in cues(text):
        clean = [re.sub(r"<[^>]+>|\{[^}]+\}", "", line) for line in lines]
        length = end - start
        chars = sum(len(line.replace(" ", "")) for line in clean)
        checks = [
            ("行数", len(clean), MAX_LINES, len(clean) > MAX_LINES),
            ("行长", max(map(len, clean)), MAX_CHARS, max(map(len, clean)) > MAX_CHARS),
            ("速度", round(chars / max(length, 0.01), 1), MAX_CPS, chars / max(length, 0.01) > MAX_CPS),
            ("太短", round(length, 2), MIN_SEC, length < MIN_SEC),
            ("太长", round(length, 2), MAX_SEC, length > MAX_SEC),
            ("间隔", round(start - previous_end, 2), MIN_GAP, start - previous_end < MIN_GAP - 0.001),
        ]
        for rule, value, limit, broken in checks:
            if broken:
                print(number, rule, value, limit)
        previous_end = end


if __name__ == "__main__":
    main()
