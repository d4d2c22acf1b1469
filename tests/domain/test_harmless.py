"""Commands that only read, and the many ways to look like one."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.policy.read_only import PLAIN, find_objection
from tests.tables import each

READ = [
    "ls", "ls -la src", "cat a.py b.py", "head -n 20 x | tail -5", "wc -l src/*.py", "rg -n 'def main' src",
    "rg --files -g '*.py' | sort | uniq -c", "grep -rn \"foo$\" . | wc -l", "find . -name '*.py' -not -path './x/*'",
    "find src -type f -maxdepth 2 -print0", "git status", "git status --short && git diff --stat",
    "git log --oneline -5", "git --no-pager show HEAD~1:src/app.py", "git -C sub log -p -- x",
    "git branch --show-current", "git branch -a", "git tag", "git stash list", "git remote -v", "git ls-files | head",
    "git blame -L 1,5 x", "git rev-parse HEAD", "git grep -n foo", "sed -n '1,200p' x", "sed -n 5p x",
    "sed -n -e 1p -e '$p' x", "sed -n '/def a/,/^def b/p' x", "sed -n '1p;5q' x", "cat x 2>/dev/null",
    "ls x 2>&1 | head", "ls > /dev/null", "test -f x && cat x", "[ -d src ] || echo no", "cd src && ls; pwd",
    "bash -lc 'cat x | head'", '/bin/bash -lc "git log"', "/usr/bin/wc -l x", "cat -- -x", "python --version",
    "ls\ncat x\n", "cat a\\ b", "echo 'rm -rf /'", 'echo "a > b; c & d"', "find . \\( -name a -o -name b \\) -print",
    "sort -k2 -rn x", "jq . x.json", "tree -L 2", "cat \"a'b\" 'c\"d'",
]  # fmt: skip

HOSTILE = [
    "", " ", "\n", "rm x", "ls; rm -rf .", "ls && rm x", "ls || rm x", "ls | tee x", "ls & rm x", "ls &", "ls\nrm x",
    "ls |& tee x", "cat x > y", "cat x >> y", "cat x >| y", "cat x 2> y", "cat x &> y", "cat x >& y", "cat x>y",
    "ls 2>/dev/nullx", "ls 2>/dev/null/../../x", "ls >/dev/null>x", "ls 12>x", "cat < x", "cat <<EOF\n$(rm x)\nEOF",
    "cat <(rm x)", "diff <(ls) >(tee x)", "cat $(rm x)", "cat `rm x`", 'cat "$(rm x)"', 'cat "`rm x`"', "cat $X",
    'cat "$X"', "cat ${X:=rm}", "echo $'\\x72m'", 'echo $"a"', "$X", "X=1 ls", "PATH=. ls", "LD_PRELOAD=./x.so ls",
    "env ls", "env X=1 rm x", "command rm x", "exec rm x", "eval 'rm x'", "sudo ls", "nohup ls", "xargs rm < x",
    "ls | xargs rm", "ls | sh", "sh x.sh", "bash", "bash -c", "bash -c 'rm x'", "bash -lc 'ls; rm x'", "bash -c ls rm",
    "bash -ic ls", "sh -c \"bash -c 'rm x'\"", "bash -c 'ls' & rm x", ". x.sh", "source x.sh", "./ls", "src/cat x",
    "/tmp/ls", "~/bin/ls", "(rm x)", "{ rm x; }", "ls {a,b}", "find . -{delete,print}", "! rm x",
    "if true; then rm x; fi", "for f in *; do rm $f; done", "while true; do ls; done", "ls() { rm x; }; ls",
    "alias ls=rm", "time rm x", "coproc ls", "find . -delete", "find . -exec rm {} +", "find . -exec rm '{}' \\;",
    "find . -execdir rm x \\;", "find . -ok rm '{}' \\;", "find . -okdir rm x", "find . -fprint x",
    "find . -fprintf x a", "find . -fls x", "find . -fprint0 x", "find . -unknown", "find *", "find . -name *", "git",
    "git commit -am x", "git push", "git checkout .", "git reset --hard", "git clean -fd", "git stash",
    "git stash drop", "git stash pop", "git -c core.pager='rm x' log", "git -c alias.x='!rm x' x",
    "git --exec-path=. log", "git --git-dir=x log", "git -p log", "git x", "git log --output=x", "git log --output x",
    "git log --outp=x", "git diff --o=x", "git diff --ext-diff", "git grep -O x", "git grep -Orm x",
    "git grep --open-files-in-pager=rm x", "git grep -nO x", "git branch new", "git branch -D main", "git tag v1",
    "git remote add x y", "git config core.pager x", "git reflog expire --all", "git worktree add x", "git worktree",
    "git fetch", "git archive -o x HEAD", "git bisect run rm x", "git difftool", "git help log", "git -C",
    "git --version && rm x", "git cat-file --textconv HEAD:x", "sed -i s/a/b/ x", "sed 's/a/b/' x", "sed -n 'w f' x",
    "sed -n '1w f' x", "sed -n '1e rm x' x", "sed -n 's/a/b/w f' x", "sed -n 's/a/rm/e' x", "sed -n -i 1p x",
    "sed -n 1p -i x", "sed --in-place 1p x", "sed -n -f x y", "sed -ni 1p x", "sed -n '1p;w f' x",
    "sed -n '1p\nw f' x", "sed -n '/a\\/,/w f/p' x", "sed -n '/a/;w f;/p' x", "sed -n", "sed",
    "sed -n --expression='w f' x", "sed -n 1p -e 'w f' x", "sed -n [1]p x", "rg --pre rm x", "rg --pre=rm x",
    "rg --hostname-bin rm x", "rg -z x", "rg x *", "rg x *.py", "rg x ?", "rg -*", "fd -x rm", "fd -X rm",
    "fd --exec rm", "fd -Hx rm", "sort -o x y", "sort -ox y", "sort --output=x y", "sort --outp x y",
    "sort --compress-program=rm x", "sort -uo x y", "sort *", "tree -o x", "tree -R x", "tree -Lo 2 x", "file -C -m x",
    "uniq a b", "uniq 1 2", "uniq -c a b", "printf -v PATH x", "printf %n x", "test -v 'a[$(rm x)]'",
    "[ -v 'a[$(rm x)]' ]", "[ 1 -eq 'a[$(rm x)]' ]", "awk 'BEGIN{system(\"rm x\")}'", "awk 1 x", "perl -e 1", "less x",
    "python -c 'print(1)'", "python x.py", "python version", "python --version x", "python -m pytest", "pytest",
    "make", "npm test", "node -e 1", "tee x", "cp a b", "mv a b", "touch x", "mkdir x", "ln -s a b", "chmod +x a",
    "dd if=a of=b", "curl x", "wget x", "xxd a b", "date -s x", "yq -i . x", "ls # comment\nrm x",
    "ls 'a\\' 'b; rm x; echo '", "ls 'unclosed", 'ls "unclosed', "ls \\", "ls \r rm x", "ls \0", "ls \x1b[2J",
    "ls\u2028rm x", "ls\u00a0-la", "l\u200bs", "ls " + "a" * 20_000, "&& ls &&& rm x", "echo a=(b)", "=ls", "%1", "@",
    "ls ;; rm x", "cat x |\nrm y", "l''s;r''m x", "\\rm x", "'rm' x", '"rm" x', "r\\m x",
    "bash -c \"bash -c 'bash -c \\\"bash -c ls\\\"'\" x",
]  # fmt: skip


@each("command", READ)
def test_reads(command: str) -> None:
    assert find_objection(command) is None


@each("command", HOSTILE)
def test_does_more(command: str) -> None:
    assert find_objection(command)


@pytest.mark.parametrize("around", ["ls; {}", "{}; ls", "ls\n{}", "cd src && {}", "{} | cat", "bash -lc {}"])
def test_nothing_in_front_or_behind_helps(around: str) -> None:
    for command in HOSTILE:
        if command.strip() and not command.startswith("&&") and not command.endswith("\\"):
            quoted = shlex.quote(command) if around.startswith("bash") else command
            assert find_objection(around.format(quoted)), command


@each("command", READ)
def test_a_shell_around_changes_nothing(command: str) -> None:
    assert find_objection(f"bash -lc {shlex.quote(command)}") is None


def test_how_deep_shells_are_looked_through() -> None:
    command = "ls"
    verdicts = []
    for _ in range(6):
        verdicts.append(find_objection(command))
        command = f"bash -c {shlex.quote(command)}"
    assert verdicts[:4] == [None] * 4
    assert verdicts[4] == "it is nested too deeply"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("rm x", "rm is not known to be read-only"),
        ("cat x > y", "> redirects to or from a file"),
        ("git push", "git push is not known to be read-only"),
        ("find . -delete", "find -delete may do more"),
        ("cat $(x)", "the value of $ is unknown before it runs"),
        ("sed -i 1p x", "sed -i may do more"),
        ("", "it is empty"),
    ],
)
def test_the_objection_can_be_read(command: str, words: str) -> None:
    assert find_objection(command) == words


@given(st.text(max_size=60) | st.text(alphabet="ls rm;|&><$`'\"\\(){}#\n-x=*", max_size=30))
def test_any_text_has_an_answer(command: str) -> None:
    problem = find_objection(command)
    assert problem is None or problem


words = st.text(alphabet="abc -'\"$`;|&<>(){}*?[]#~=\\\t", max_size=12)


@given(st.lists(words.filter(lambda word: not word.endswith("\\")), max_size=4))
def test_quoted_words_stay_words(arguments: list[str]) -> None:
    """What the shell's own quoting wraps up is text, and of no effect for a program that only prints."""
    line = shlex.join(["cat", *arguments])
    if "\\'" not in line:
        assert find_objection(line) is None


@given(
    st.sampled_from(sorted(PLAIN)),
    st.sampled_from(["; rm x", "\nrm x", " && rm x", " | rm x", " $(rm)", " `rm`", " > x", " & rm x"]),
    words,
)
def test_no_plain_command_carries_another(name: str, rest: str, word: str) -> None:
    assert find_objection(f"{name} {shlex.quote(word)}{rest}")
