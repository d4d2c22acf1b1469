import pytest

from stencil import Environment


@pytest.fixture
def env():
    return Environment({"row": "<li>{{ item }}</li>", "list": "{% for item in items %}{% include 'row' %}{% endfor %}"})


@pytest.fixture
def show(env):
    return env.render_text
