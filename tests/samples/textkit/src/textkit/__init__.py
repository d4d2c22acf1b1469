from textkit.outline import Outline
from textkit.wrapping import Wrapper

__all__ = ["Outline", "Wrapper"]
