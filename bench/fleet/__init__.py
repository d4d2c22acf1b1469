"""How far the fleet goes: its rule on many machines, simulated, and what its database bears, measured."""
