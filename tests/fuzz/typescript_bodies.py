"""Small random programs in TypeScript or JavaScript, with few names, so that they meet: in scopes, spaces, members, exports, labels."""

from __future__ import annotations

import random
from collections.abc import Callable

_NAMES = ("a", "b", "c", "D", "E")
_TYPES = ("number", "string", "any")


class Bodies:
    """Programs of one random source; ts: with types."""

    def __init__(self, rng: random.Random, *, ts: bool) -> None:
        self.rng, self.ts = rng, ts
        self.depth = 0

    def program(self) -> str:
        """A module."""
        rng = self.rng
        statements = [self.top() for _ in range(rng.randrange(1, 6))]
        if rng.random() < 0.8:
            statements.insert(rng.randrange(len(statements) + 1), "export {};")
        return "\n".join(statements) + "\n"

    def some(self, *makers: Callable[[], str]) -> str:
        """The text of one of these makers."""
        return self.rng.choice(makers)()

    def name(self) -> str:
        """A name to declare or to read."""
        return self.rng.choice(_NAMES)

    def top(self) -> str:
        """A statement at the top level, perhaps exported."""
        rng = self.rng
        if rng.random() < 0.65:
            return self.statement()
        if self.ts and rng.random() < 0.1:
            inner = rng.choice(
                (f"interface {self.name()} {{ {self.type_members()} }}", f"var {self.name()}: {self.type()};")
            )
            return rng.choice((f"declare global {{ {inner} }}", f"namespace {self.name()} {{ {self.statement()} }}"))
        return rng.choice(
            (
                self.exported,
                lambda: f"export {{ {self.name()} }};",
                lambda: f"export {{ {self.name()} as {self.name()} }};",
                lambda: f'export {{ {self.name()} as {self.name()} }} from "m";',
                lambda: f'import {self.name()} from "m";',
                lambda: f'import {{ x as {self.name()}, {self.name()} }} from "m";',
                lambda: f'import * as {self.name()} from "m";',
                lambda: f"export default {self.expression()};",
                lambda: f"export default function {self.name()}() {{ {self.block()} }}",
                lambda: f"export default class {self.name()} {{}}",
            )
        )()

    def exported(self) -> str:
        """A declaration, with `export` where allowed."""
        found = self.declaration()
        return found if found.startswith(("using ", "await ")) else f"export {found}"

    def declaration(self) -> str:
        """A declaration of a name."""
        rng, name = self.rng, self.name()
        makers = [
            lambda: f"let {name}{self.annotation()} = {self.expression()};",
            lambda: f"const {name}{self.annotation()} = {self.expression()};",
            lambda: f"var {name}{self.annotation()} = {self.expression()};",
            lambda: f"const {self.pattern()} = {self.expression()};",
            lambda: f"function {name}({self.parameters()}){self.annotation()} {{ {self.block()} }}",
            lambda: f"async function {name}({self.parameters()}) {{ {self.block()} }}",
            lambda: f"function* {name}({self.parameters()}) {{ {self.block()} }}",
            lambda: self.klass(name),
        ]
        if self.ts:
            makers += [
                lambda: f"type {name}{self.type_parameters()} = {self.type()};",
                lambda: f"interface {name}{self.type_parameters()} {{ {self.type_members()} }}",
                lambda: f"enum {name} {{ {self.name()}, {self.name()} = 2 }}",
                lambda: f"function {name}(): any;",
                lambda: f"declare const {name}: {self.type()};",
                lambda: f"abstract {self.klass(name)}",
                lambda: f"@{self.decorator()} {self.klass(name)}",
                lambda: f"{rng.choice(('', 'await '))}using {name}{self.annotation()} = {self.expression()};",
            ]
        return rng.choice(makers)()

    def klass(self, name: str) -> str:
        """A class."""
        rng = self.rng
        extends = f" extends {self.name()}" if rng.random() < 0.3 else ""
        members = " ".join(self.member() for _ in range(rng.randrange(4)))
        return f"class {name}{self.type_parameters()}{extends} {{ {members} }}"

    def member(self) -> str:
        """A member of a class."""
        rng, name = self.rng, self.rng.choice((*_NAMES, "#a", "#b", "constructor"))
        static = rng.choice(("", "", "static "))
        makers = [
            lambda: f"{static}{name}({self.parameters()}) {{ {self.block()} }}",
            lambda: f"constructor({self.parameters()}) {{ {rng.choice(('', 'super();', 'super.a;'))} {self.block()} }}",
            lambda: f"{static}{name.replace('constructor', 'a')} = {self.expression()};",
            lambda: f"{static}get {name.replace('constructor', 'a')}() {{ return this.#a }}",
            lambda: f"{static}set {name.replace('constructor', 'a')}(v) {{ {self.block()} }}",
            lambda: f"static {{ {self.block()} }}",
            lambda: f"async {name.replace('constructor', 'b')}() {{ {self.block()} }}",
        ]
        if self.ts:
            makers += [
                lambda: f"{static}{name.replace('constructor', 'a')}: {self.type()};",
                lambda: "constructor(private p: any, public q?: any) {}",
                lambda: f"abstract {name.replace('constructor', 'a').replace('#', '')}(): any;",
                lambda: f"{static}accessor {name.replace('constructor', 'a')} = {self.expression()};",
                lambda: (
                    f"@{self.decorator()} {name.replace('constructor', 'a').replace('#', '')}() {{ {self.block()} }}"
                ),
            ]
        return rng.choice(makers)()

    def decorator(self) -> str:
        """The expression behind `@`."""
        name = self.name()
        return self.rng.choice(
            (name, f"{name}.{self.name()}", f"{name}({self.expression()})", f"({self.expression()})")
        )

    def type_members(self) -> str:
        """Members of an interface or the like."""
        rng = self.rng
        return " ".join(
            rng.choice(
                (
                    f"{self.name()}: {self.type()};",
                    f"{self.name()}(): any;",
                    f"[k: string]: {self.type()};",
                    f"({self.parameters()}): {self.type()};",
                    f"get {self.name()}(): any;",
                )
            )
            for _ in range(rng.randrange(3))
        )

    def annotation(self) -> str:
        """The type of a variable, perhaps."""
        return f": {self.type()}" if self.ts and self.rng.random() < 0.3 else ""

    def type_parameters(self) -> str:
        """Of a declaration."""
        if not self.ts or self.rng.random() < 0.7:
            return ""
        return f"<{self.name()}>" if self.rng.random() < 0.7 else f"<{self.name()}, {self.name()} = any>"

    def type(self) -> str:
        """A type."""
        rng = self.rng
        if self.depth > 4 or rng.random() < 0.5:
            return rng.choice((*_TYPES, self.name(), self.name()))
        self.depth += 1
        found = rng.choice(
            (
                lambda: f"{self.type()}[]",
                lambda: f"{self.name()} | {self.type()}",
                lambda: f"({self.parameters()}) => {self.type()}",
                lambda: f"{{ {self.type_members()} }}",
                lambda: f"{{ [{self.name()} in string]: {self.type()} }}",
                lambda: f"({self.type()} extends infer {self.name()} ? {self.type()} : {self.type()})",
                lambda: f"typeof {self.name()}",
                lambda: f"[{self.name()}: {self.type()}, {self.name()}?: {self.type()}]",
                lambda: f"{self.name()}.{self.name()}",
                lambda: f"Array<{self.type()}>",
                lambda: f"`${{{self.type()}}}`",
                lambda: f"keyof {self.type()}",
            )
        )()
        self.depth -= 1
        return found

    def parameters(self) -> str:
        """Of a function."""
        rng = self.rng
        found: list[str] = []
        for _ in range(rng.randrange(3)):
            found.append(
                rng.choice(
                    (
                        f"{self.name()}",
                        f"{self.name()}{self.annotation()}",
                        f"{self.name()} = {self.name()}",
                        self.pattern(),
                        f"{self.name()}?" if self.ts else self.name(),
                    )
                )
            )
        return ", ".join(found)

    def pattern(self) -> str:
        """A pattern that declares names."""
        return self.rng.choice(
            (
                f"{{ {self.name()} }}",
                f"{{ x: {self.name()}, {self.name()} = {self.name()} }}",
                f"[{self.name()}, ...{self.name()}]",
                f"[, {self.name()} = 1]",
            )
        )

    def block(self) -> str:
        """Statements."""
        if self.depth > 3:
            return ""
        self.depth += 1
        found = " ".join(self.statement() for _ in range(self.rng.randrange(4)))
        self.depth -= 1
        return found

    def statement(self) -> str:
        """Any statement."""
        rng, name = self.rng, self.name()
        if rng.random() < 0.4:
            return self.declaration()
        return rng.choice(
            (
                lambda: f"{self.expression()};",
                lambda: f"{self.expression()};",
                lambda: f"{name} = {self.expression()};",
                lambda: f"{name}++;",
                lambda: f"[{name}] = {self.expression()};",
                lambda: f"({{ {name} }} = {self.expression()});",
                lambda: f"{{ {self.block()} }}",
                lambda: f"if ({self.expression()}) {{ {self.block()} }} else {{ {self.block()} }}",
                lambda: f"for (let {name} = 0; {name} < 1; {name}++) {{ {self.block()} }}",
                lambda: f"for (const {name} of {self.expression()}) {{ {self.block()} }}",
                lambda: f"for (var {name} in {self.expression()}) {{ {self.block()} }}",
                lambda: f"for ({name} of {self.expression()}) {{ {self.block()} }}",
                lambda: f"for await (const {name} of {self.expression()}) {{ {self.block()} }}",
                lambda: f"while ({self.expression()}) {{ {self.block()} }}",
                lambda: f"do {{ {self.block()} }} while ({self.expression()});",
                lambda: (
                    f"switch ({self.expression()}) {{ case {self.expression()}: {self.block()} default: {self.block()} }}"
                ),
                lambda: f"switch (1) {{ default: {self.block()} {rng.choice(('', 'default:'))} }}",
                lambda: f"try {{ {self.block()} }} catch ({name}) {{ {self.block()} }}",
                lambda: f"try {{ {self.block()} }} catch {{ {self.block()} }} finally {{ {self.block()} }}",
                lambda: f"return {rng.choice(('', self.expression()))};",
                lambda: "break;",
                lambda: "continue;",
                lambda: f"break {name};",
                lambda: f"continue {name};",
                lambda: f"{name}: {self.statement()}",
                lambda: f"{name}: for (;;) {{ {self.block()} }}",
                lambda: f"throw {self.expression()};",
            )
        )()

    def expression(self) -> str:
        """Any expression."""
        rng, name = self.rng, self.name()
        if self.depth > 4 or rng.random() < 0.4:
            return rng.choice((name, name, "1", '"s"'))
        self.depth += 1
        makers = [
            lambda: f"{name}({self.expression()})",
            lambda: f"{name} + {self.expression()}",
            lambda: (
                f"({self.parameters()}) => {self.expression() if rng.random() < 0.5 else '{ ' + self.block() + ' }'}"
            ),
            lambda: f"async ({self.parameters()}) => {{ {self.block()} }}",
            lambda: f"{name} => {name}",
            lambda: f"function {rng.choice(('', name))}({self.parameters()}) {{ {self.block()} }}",
            lambda: f"{{ {name}: {self.expression()}, {self.name()}, [{self.name()}]: 1 }}",
            lambda: f"{{ {name}() {{ {self.block()} }}, get {self.name()}() {{ return 1 }} }}",
            lambda: f"[{self.expression()}, ...{name}]",
            lambda: f"`${{{self.expression()}}}`",
            lambda: f"({name} = {self.expression()})",
            lambda: f"await {name}",
            lambda: "(yield)",
            lambda: f"({name} ? {self.expression()} : {self.expression()})",
            lambda: "new.target",
            lambda: "super.a",
            lambda: "this.#a",
            lambda: f"typeof {name}",
            lambda: f"class {rng.choice(('', name))} {{ {self.member()} }}",
            lambda: f"({name}, {self.name()})",
            lambda: f"{name}.{self.name()}",
            lambda: "arguments",
            lambda: rng.choice(("static", "package", "implements")),
        ]
        if self.ts:
            makers += [
                lambda: f"({name} as {self.type()})",
                lambda: f"({name} {rng.choice(('satisfies', 'as'))} {rng.choice((self.type(), 'const'))})",
                lambda: f"{name}<{self.type()}>({self.expression()})",
                lambda: f"<{self.name()},>({self.parameters()}) => {name}",
                lambda: f"{name}!",
                lambda: f"({self.parameters()}): {self.type()} => {self.expression()}",
                lambda: f"({name} ? ({self.name()}) : {self.name()} => {self.expression()})",
            ]
        found = rng.choice(makers)()
        self.depth -= 1
        return f"({found})" if found[0] == "{" or found.startswith(("function", "class", "async")) else found
