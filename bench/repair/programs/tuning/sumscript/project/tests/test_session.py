import pytest

from sumscript import EvalError, Session
from sumscript.session import show


def run(source, **names):
    return Session(**names).run(source)


@pytest.mark.parametrize(
    "source, value",
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("2 ^ 3 ^ 2", 512),
        ("-2 ^ 2", -4),
        ("3 * -2 ^ 2", -12),
        ("-2 ^ -2", -0.25),
        ("(-2) ^ 2", 4),
        ("2 ^ -1", 0.5),
        ("-3 * -2", 6),
        ("7 // 2 + 7 % 2", 4),
        ("7 / 2", 3.5),
        ("--3", 3),
        ('"a" + "b"', "ab"),
        ("[1] + [2]", (1, 2)),
    ],
)
def test_arithmetic(source, value):
    assert run(source) == value


@pytest.mark.parametrize(
    "source, value",
    [
        ("1 < 2 < 3", True),
        ("1 < 3 < 2", False),
        ("3 > 2 == 2", True),
        ("not 1 == 2", True),
        ("true or false and false", True),
        ("not false and false", False),
        ('"a" < "b"', True),
        ("1 == 1.0", True),
        ("true == 1", False),
        ("[true] == [1]", False),
        ("[1, [2]] == [1, [2]]", True),
        ("1 != \"1\"", True),
    ],
)
def test_logic(source, value):
    assert run(source) is value


def test_right_side_is_left_out_where_left_decides():
    assert run("false and 1 / 0 == 1") is False
    assert run("true or 1 / 0 == 1") is True
    assert run("let n = 0\nn != 0 and 10 / n > 1") is False


def test_both_sides_must_be_true_or_false():
    with pytest.raises(EvalError, match="not true or false: 3"):
        run("true and 3")
    with pytest.raises(EvalError, match="not true or false: 3"):
        run("3 or true")


def test_only_the_chosen_branch_runs():
    assert run("if 1 < 2 then 5 else 1 / 0") == 5


def test_names_given_to_the_session():
    assert run("price * 2", price=4) == 8


def test_let_has_no_value():
    assert run("let a = 1") is None


def test_names_live_on():
    session = Session()
    session.run("let a = 1")
    session.run("let a = a + 1")
    assert session.run("a") == 2


def test_failed_script_changes_nothing():
    session = Session(a=1)
    with pytest.raises(EvalError):
        session.run("let a = 2\nlet b = 3\nnope")
    assert session.run("a") == 1
    with pytest.raises(EvalError, match="unknown name: b"):
        session.run("b")


def test_functions():
    assert run("def area(w, h) = w * h\narea(3, 4)") == 12


def test_recursion():
    assert run("def f(n) = if n == 0 then 1 else n * f(n - 1)\nf(6)") == 720


def test_functions_see_later_globals():
    assert run("def f() = a\nlet a = 5\nf()") == 5


def test_functions_do_not_see_their_callers_names():
    session = Session()
    session.run("def inner() = x\ndef outer(x) = inner()")
    with pytest.raises(EvalError, match="unknown name: x"):
        session.run("outer(1)")


def test_functions_prefer_globals_to_their_callers_names():
    source = "let x = 1\ndef inner() = x\ndef outer(x) = inner() + x\nouter(10)"
    assert run(source) == 11


def test_parameters_hide_globals():
    assert run("let x = 1\ndef f(x) = x * 10\nf(2) + x") == 21


def test_arguments_are_worked_out_outside():
    assert run("let a = 1\ndef f(a, b) = a * 10 + b\nf(2, a)") == 21


def test_endless_recursion():
    with pytest.raises(EvalError, match="f calls itself too often"):
        run("def f(n) = f(n + 1)\nf(0)")


def test_session_survives_endless_recursion():
    session = Session()
    session.run("def f(n) = f(n + 1)\ndef g(n) = n + 1")
    with pytest.raises(EvalError):
        session.run("f(0)")
    assert session.run("g(1)") == 2


def test_session_survives_many_failing_calls():
    session = Session()
    session.run("def half(n) = 1 / n")
    for _ in range(100):
        with pytest.raises(EvalError, match="division by zero"):
            session.run("half(0)")
    assert session.run("half(2)") == 0.5


def test_items_count_from_one():
    assert run("[5, 6, 7][1]") == 5
    assert run("[[1], [2, 3]][2][2]") == 3
    assert run('"abc"[3]') == "c"
    assert run("[5, 6][4 / 2]") == 6


@pytest.mark.parametrize("index", ["0", "4", "-1"])
def test_no_such_item(index):
    with pytest.raises(EvalError, match=f"no item {index}"):
        run(f"[5, 6, 7][{index}]")


def test_list_builtins():
    assert run("sum([1, 2, 3])") == 6
    assert run("max(1, 5, 3) - min([2, 4])") == 3
    assert run("mean(1, 2)") == 1.5
    assert run("sum([])") == 0


def test_builtin_may_be_replaced():
    assert run("def sum(a) = a\nsum(3)") == 3


@pytest.mark.parametrize(
    "source, value",
    [
        ("round(2.5)", 3),
        ("round(-2.5)", -3),
        ("round(2.345, 1)", 2.3),
        ("round(1250, -2)", 1300),
        ("floor(-1.5)", -2),
        ("abs(-3)", 3),
        ("sqrt(16)", 4),
        ('len("abc") + len([1])', 4),
    ],
)
def test_number_builtins(source, value):
    assert run(source) == value


@pytest.mark.parametrize(
    "source, message",
    [
        ("1\n2 / 0", "line 2: division by zero"),
        ("5 % 0", "line 1: division by zero"),
        ("true + 1", "line 1: not a number: true"),
        ('1 < "a"', 'line 1: not a number: "a"'),
        ("if 1 then 2 else 3", "line 1: not true or false: 1"),
        ("nope(1)", "line 1: unknown function: nope"),
        ("let a = 1\na(1)", "line 2: not a function: a"),
        ("def f(x) = x\nf()", "line 2: f takes 1 values, got 0"),
        ("max()", "line 1: max of nothing"),
        ("sqrt(-1)", "line 1: root of a negative number"),
        ("(-8) ^ .5", "line 1: root of a negative number"),
        ("10 ^ 5000", "line 1: exponent too large"),
        ("round()", "line 1: wrong values for round"),
        ("[1][1.5]", "line 1: not a whole number: 1.5"),
        ("5[1]", "line 1: not a list: 5"),
        ('let a = "x\ny"\na + 1', 'line 3: not a number: "x\\ny"'),
    ],
)
def test_errors(source, message):
    with pytest.raises(EvalError) as caught:
        run(source)
    assert str(caught.value) == message


def test_show():
    assert show((1, 2.0, True, 'a"b\\')) == '[1, 2, true, "a\\"b\\\\"]'
    session = Session()
    session.run("def f(a, b) = a")
    assert show(session.run("f")) == "f(a, b)"
