import pytest

from flowgate import Rule, RuleError, SlidingWindow, TokenBucket, parse_rules


@pytest.mark.parametrize(
    "text, rule",
    [
        ("5/s", Rule(5, 1)),
        ("100 / minute", Rule(100, 60)),
        ("10/2h", Rule(10, 7200)),
        ("3/days", Rule(3, 86400)),
        ("7/Min BURST 9", Rule(7, 60, 9)),
        (" 1/30 secs burst 1 ", Rule(1, 30, 1)),
    ],
)
def test_one_rule(text, rule):
    assert parse_rules(text) == [rule]


def test_several_rules():
    assert parse_rules("5/s; 100/min;") == [Rule(5, 1), Rule(100, 60)]


def test_same_rule_counts_once():
    assert parse_rules("60/m; 60/60s") == [Rule(60, 60)]


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "no rules"),
        (" ; ", "no rules"),
        ("5 per second", "cannot read rule: '5 per second'"),
        ("5/s burst", "cannot read rule: '5/s burst'"),
        ("5/week", "unknown unit: 'week'"),
        ("0/s", "zero in rule: '0/s'"),
        ("1/s burst 0", "zero in rule: '1/s burst 0'"),
        ("1/0s", "zero in rule: '1/0s'"),
    ],
)
def test_errors(text, message):
    with pytest.raises(RuleError) as caught:
        parse_rules(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "rule, text",
    [
        (Rule(5, 1), "5/s"),
        (Rule(5, 90), "5/90s"),
        (Rule(5, 7200, 3), "5/2h burst 3"),
        (Rule(1, 86400), "1/d"),
    ],
)
def test_as_text(rule, text):
    assert str(rule) == text
    assert parse_rules(text) == [rule]


def test_build(clock):
    assert isinstance(Rule(5, 1).build(clock), SlidingWindow)
    bucket = Rule(30, 60, 9).build(clock)
    assert isinstance(bucket, TokenBucket)
    assert (bucket.capacity, bucket.rate) == (9, 0.5)
