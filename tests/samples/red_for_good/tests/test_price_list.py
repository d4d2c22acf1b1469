from postage import postage, total


def test_the_price_list_of_january():
    assert [postage(20), postage(50)] == [85, 100]


def test_the_price_list_of_july():
    assert [postage(20), postage(50)] == [95, 110]


def test_a_pile_costs_as_much_as_its_letters():
    assert total([20, 50]) == postage(20) + postage(50)
