import pytest

from cinema.loyalty import Member, Tier


def test_one_point_for_every_whole_euro():
    member = Member("Ida")
    assert member.earn(2399) == 23
    assert (member.collected, member.balance) == (23, 23)


@pytest.mark.parametrize(
    ("points", "tier"),
    [(0, Tier.BASIC), (199, Tier.BASIC), (200, Tier.SILVER), (499, Tier.SILVER), (500, Tier.GOLD), (9000, Tier.GOLD)],
)
def test_the_tier_follows_from_the_points(points, tier):
    assert Tier.reached_with(points) is tier


def test_a_new_member_is_basic():
    assert Member("Ida").tier is Tier.BASIC


def test_higher_tiers_collect_faster():
    member = Member("Ida")
    assert member.earn(20_000) == 200
    assert member.earn(15_000) == 300
    assert member.tier is Tier.GOLD
    assert member.earn(1_000) == 30


def test_a_free_ticket_costs_points():
    member = Member("Ida", collected=120, balance=120)
    member.redeem_free_ticket()
    assert (member.collected, member.balance) == (120, 20)


def test_too_few_points_for_a_free_ticket():
    member = Member("Ida", collected=300, balance=99)
    with pytest.raises(ValueError, match="only 99 points"):
        member.redeem_free_ticket()
    assert member.balance == 99


def test_a_free_ticket_does_not_cost_the_tier():
    member = Member("Ida", collected=210, balance=210)
    member.redeem_free_ticket()
    assert member.tier is Tier.SILVER


def test_a_gold_member_who_spent_all_points_still_collects_threefold():
    member = Member("Ida", collected=600, balance=100)
    member.redeem_free_ticket()
    assert member.earn(1_250) == 36
    assert (member.collected, member.balance) == (636, 36)


@pytest.mark.parametrize(("collected", "missing"), [(0, 200), (199, 1), (200, 300), (499, 1), (500, None)])
def test_points_to_the_next_tier(collected, missing):
    assert Member("Ida", collected=collected, balance=0).points_to_next_tier() == missing
