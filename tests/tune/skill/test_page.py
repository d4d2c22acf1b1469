"""A file of a skill, read into a page."""

from loopwright.tune.skill.page import read_page


def test_a_page_has_its_front_matter_blocks_and_sections() -> None:
    page = read_page("SKILL.md", b"---\nname: x\n---\n# Title\n\nSay it.\n\n```bash\nls\n```\n")
    assert page is not None
    assert page.front is not None
    assert page.front.values == {"name": "x"}
    assert [(block.kind, block.text) for block in page.blocks] == [
        ("front", "name: x"),
        ("heading", "Title"),
        ("paragraph", "Say it."),
        ("code", "ls"),
    ]
    assert [section.title for section in page.sections] == ["Title"]
