"""What the server says of a fleet; tests/fleet/test_mirror.py has one."""

from tests.server.office import Office


def test_where_no_fleet_is_named(refusing: Office) -> None:
    refused = refusing.ask("GET", "/api/fleet")
    assert (refused.status, "no fleet is named" in refused.error) == (400, True)
    assert refusing.ask("GET", "/api/fleet?project=none").status == 404
