"""LOOP: one agent through its actions until what was asked for is measured."""
