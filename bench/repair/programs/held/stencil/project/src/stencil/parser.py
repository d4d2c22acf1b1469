"""Turn tokens into nodes."""

import re

from .errors import TemplateSyntaxError
from .expr import Expression
from .lexer import tokenize
from .nodes import Block, For, If, Include, Print, Set, Text

_FOR = re.compile(r"(\w+(?:\s*,\s*\w+)*)\s+in\s+(.+)", re.DOTALL)
_SET = re.compile(r"([A-Za-z_]\w*)\s*=\s*(.+)", re.DOTALL)


class Parser:
    def __init__(self, source):
        self._tokens = list(tokenize(source))
        self._position = 0

    def parse(self):
        block, end = self._block(())
        assert end is None
        return block

    def _block(self, stops):
        """Nodes up to one of the stop tags; returns the block and that tag."""
        nodes = []
        while self._position < len(self._tokens):
            token = self._tokens[self._position]
            self._position += 1
            if token.kind == "text":
                nodes.append(Text(token.value))
            elif token.kind == "print":
                nodes.append(Print(Expression(token.value, token.line)))
            else:
                word, _, rest = token.value.partition(" ")
                if word in stops:
                    return Block(nodes), (word, rest.strip(), token.line)
                nodes.append(self._tag(word, rest.strip(), token.line))
        if stops:
            raise TemplateSyntaxError(f"missing {stops[-1]}", self._tokens[-1].line)
        return Block(nodes), None

    def _tag(self, word, rest, line):
        if word == "if":
            return self._if(rest, line)
        if word == "for":
            return self._for(rest, line)
        if word == "set":
            match = _SET.fullmatch(rest)
            if match is None:
                raise TemplateSyntaxError("set needs name = value", line)
            return Set(match.group(1), Expression(match.group(2), line))
        if word == "include":
            return Include(Expression(rest, line))
        raise TemplateSyntaxError(f"unknown tag {word!r}", line)

    def _if(self, rest, line):
        branches = []
        condition = Expression(rest, line)
        stops = ("elif", "else", "endif")
        while True:
            block, (word, rest, line) = self._block(stops)
            branches.append((condition, block))
            if word == "endif":
                return If(branches)
            if word == "else":
                condition = None
                stops = ("endif",)
            else:
                condition = Expression(rest, line)

    def _for(self, rest, line):
        match = _FOR.fullmatch(rest)
        if match is None:
            raise TemplateSyntaxError("for needs names in values", line)
        names = [name.strip() for name in match.group(1).split(",")]
        expression = Expression(match.group(2), line)
        body, (word, _, _) = self._block(("else", "endfor"))
        otherwise = Block([])
        if word == "else":
            otherwise, _ = self._block(("endfor",))
        return For(names, expression, body, otherwise)
