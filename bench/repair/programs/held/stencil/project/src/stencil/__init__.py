"""A text template engine."""

from .engine import Environment
from .errors import StencilError, TemplateMissing, TemplateSyntaxError, UndefinedName
from .filters import Safe, escape
