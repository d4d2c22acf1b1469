"""The parts of `make soak`: one module each, with `run(chance, scale) -> counts`. See bench/soak.py."""
