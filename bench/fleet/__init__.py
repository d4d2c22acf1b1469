"""How far the fleet goes: its rules on many machines, simulated, and what its database bears, measured."""
