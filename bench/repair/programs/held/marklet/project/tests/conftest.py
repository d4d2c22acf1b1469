import pytest

from marklet import Renderer


@pytest.fixture
def renderer():
    return Renderer()


@pytest.fixture
def lines(renderer):
    """Render a text and give the HTML line by line."""
    return lambda text: renderer.render(text).split("\n")
