"""Models, rules, events and errors: pure, without I/O, clock or randomness."""
