"""From tokens to a tree of tuples.

A node is a tuple of its kind, its line and its parts.
"""

from .errors import ParseError
from .lexer import tokenize

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def parse(source):
    """List of the statements of a script."""
    return _Parser(tokenize(source)).script()


class _Parser:
    def __init__(self, tokens):
        self.tokens = tokens
        self.position = 0

    @property
    def token(self):
        return self.tokens[self.position]

    def advance(self):
        token = self.token
        self.position += 1
        return token

    def at(self, *values):
        return self.token.kind in ("symbol", "key") and self.token.value in values

    def expect(self, value):
        if not self.at(value):
            raise ParseError(f"expected {value}, found {self.found()}", self.token.line)
        return self.advance()

    def found(self):
        if self.token.kind in ("eol", "end"):
            return "end of " + ("line" if self.token.kind == "eol" else "script")
        return str(self.token.value)

    def name(self):
        if self.token.kind != "name":
            raise ParseError(f"expected a name, found {self.found()}", self.token.line)
        return self.advance().value

    def script(self):
        statements = []
        while self.token.kind != "end":
            if self.token.kind == "eol":
                self.advance()
                continue
            statements.append(self.statement())
            if self.token.kind not in ("eol", "end"):
                raise ParseError(f"unexpected {self.found()}", self.token.line)
        return statements

    def statement(self):
        line = self.token.line
        if self.at("let"):
            self.advance()
            name = self.name()
            self.expect("=")
            return ("let", line, name, self.expression())
        if self.at("def"):
            self.advance()
            name = self.name()
            self.expect("(")
            params = []
            while not self.at(")"):
                param = self.name()
                if param in params:
                    raise ParseError(f"parameter {param} twice", line)
                params.append(param)
                if not self.at(")"):
                    self.expect(",")
            self.expect(")")
            self.expect("=")
            return ("def", line, name, tuple(params), self.expression())
        return self.expression()

    def expression(self):
        line = self.token.line
        if self.at("if"):
            self.advance()
            condition = self.expression()
            self.expect("then")
            chosen = self.expression()
            self.expect("else")
            return ("if", line, condition, chosen, self.expression())
        return self.either()

    def either(self):
        left = self.both()
        while self.at("or"):
            line = self.advance().line
            left = ("or", line, left, self.both())
        return left

    def both(self):
        left = self.negation()
        while self.at("and"):
            line = self.advance().line
            left = ("and", line, left, self.negation())
        return left

    def negation(self):
        if self.at("not"):
            line = self.advance().line
            return ("not", line, self.negation())
        return self.comparison()

    def comparison(self):
        """A chain like a < b <= c means a < b and b <= c."""
        left = self.sum()
        if not self.at(*_COMPARISONS):
            return left
        line = self.token.line
        links = []
        while self.at(*_COMPARISONS):
            operator = self.advance().value
            links.append((operator, self.sum()))
        return ("compare", line, left, tuple(links))

    def sum(self):
        left = self.product()
        while self.at("+", "-"):
            operator = self.advance()
            left = ("binary", operator.line, operator.value, left, self.product())
        return left

    def product(self):
        left = self.unary()
        while self.at("*", "/", "%", "//"):
            operator = self.advance()
            left = ("binary", operator.line, operator.value, left, self.unary())
        return left

    def unary(self):
        if self.at("-"):
            line = self.advance().line
            return ("minus", line, self.unary())
        return self.power()

    def power(self):
        """Power binds tighter than a minus before it and groups to the right."""
        base = self.postfix()
        if self.at("^"):
            operator = self.advance()
            return ("binary", operator.line, "^", base, self.unary())
        return base

    def postfix(self):
        node = self.atom()
        while self.at("["):
            line = self.advance().line
            index = self.expression()
            self.expect("]")
            node = ("index", line, node, index)
        return node

    def atom(self):
        token = self.token
        if token.kind in ("number", "text"):
            self.advance()
            return ("value", token.line, token.value)
        if self.at("true", "false"):
            self.advance()
            return ("value", token.line, token.value == "true")
        if token.kind == "name":
            self.advance()
            if self.at("("):
                self.advance()
                return ("call", token.line, token.value, self.items(")"))
            return ("name", token.line, token.value)
        if self.at("("):
            self.advance()
            node = self.expression()
            self.expect(")")
            return node
        if self.at("["):
            self.advance()
            return ("list", token.line, self.items("]"))
        raise ParseError(f"unexpected {self.found()}", token.line)

    def items(self, close):
        """Expressions with commas between them up to the closing symbol."""
        found = []
        while not self.at(close):
            found.append(self.expression())
            if not self.at(close):
                self.expect(",")
        self.expect(close)
        return tuple(found)
