// Commands as operands: fractions, roots, functions, constants, accents.
import { call, infinity, integerNode, inverse, type MathNode, pi, product, quotient, root, symbol } from "../ast.ts";
import { mapChildren, some } from "../tree.ts";
import { accents, functions, listFunctions, trigonometric } from "../scan/commands.ts";
import { parseElements } from "./answer.ts";
import { isOperator, startsFactor } from "./arithmetic.ts";
import { parseNamed } from "./atom.ts";
import { parseBars, parseBracket } from "./bracket.ts";
import { parseDerivative, parseIntegral, parseLimit, parseSeries } from "./calculus.ts";
import type { Cursor } from "./cursor.ts";
import { asMatrix } from "./environment.ts";
import { parseGroup, parsePostfix, parseScript } from "./postfix.ts";

/** `name` has been taken. */
export function parseCommand(cursor: Cursor, name: string): MathNode {
  if (functions.has(name)) return cursor.nested(() => parseFunction(cursor, name));
  if (listFunctions.has(name)) return cursor.nested(() => parseListFunction(cursor, name));
  if (accents.has(name)) return parseAccent(cursor, name);
  switch (name) {
    case "frac":
      return cursor.nested(() => parseDerivative(cursor) ?? parseFraction(cursor));
    case "binom":
      return cursor.nested(() => call("binomial", parseArgument(cursor), parseArgument(cursor)));
    case "sqrt":
      return cursor.nested(() => parseRoot(cursor));
    case "lfloor":
      return parseBetween(cursor, "rfloor", "floor");
    case "lceil":
      return parseBetween(cursor, "rceil", "ceil");
    case "lvert":
      return parseBetween(cursor, "rvert", "abs");
    case "lVert":
      return parseBetween(cursor, "rVert", "abs");
    case "vert":
      return parseBars(cursor, "command", "vert");
    case "langle":
      return parseAngle(cursor);
    case "sum":
    case "prod":
      return cursor.nested(() => parseSeries(cursor, name === "sum" ? "sum" : "product"));
    case "int":
      return cursor.nested(() => parseIntegral(cursor));
    case "lim":
      return cursor.nested(() => parseLimit(cursor));
    case "boxed":
      return parseGroup(cursor);
    case "matrix":
      return parseAsciiMatrix(cursor);
    case "pi":
      return pi;
    case "infinity":
      return infinity;
    case "emptyset":
      return { kind: "number-set", name: "empty" };
    case "imath":
      return { kind: "constant", name: "i" };
    case "exponentialE":
      return { kind: "constant", name: "e" };
    default:
      return parseSymbol(cursor, name);
  }
}

/** A Greek letter or a sign that is only compared by name. */
function parseSymbol(cursor: Cursor, name: string): MathNode {
  if (isOperator(name)) return cursor.fail();
  return parseNamed(cursor, `\\${name.replace(/^var/, "")}`);
}

function parseFraction(cursor: Cursor): MathNode {
  const above = parseArgument(cursor);
  const below = parseArgument(cursor);
  if (above.kind === "number" && below.kind === "number") return quotient(above, below);
  return { kind: "product", items: [above, inverse(below)] };
}

/** A group in braces, or the next operand. */
function parseArgument(cursor: Cursor): MathNode {
  return cursor.isSymbol("{") ? parseGroup(cursor) : parseScript(cursor);
}

/** \sqrt{x}, \sqrt[3]{x}, sqrt(x), \sqrt x. */
function parseRoot(cursor: Cursor): MathNode {
  let degree: MathNode = integerNode(2);
  if (cursor.accept("symbol", "[")) {
    degree = cursor.bracketed(() => parseElements(cursor));
    cursor.expect("symbol", "]");
  }
  return root(parseArgument(cursor), degree);
}

function parseBetween(cursor: Cursor, close: string, name: string): MathNode {
  return cursor.bracketed(() => {
    const inside = parseElements(cursor);
    cursor.expect("command", close);
    return call(name, inside);
  });
}

function parseAngle(cursor: Cursor): MathNode {
  return cursor.bracketed(() => {
    const inside = parseElements(cursor);
    cursor.expect("command", "rangle");
    const items = inside.kind === "list" ? inside.items : [inside];
    return { kind: "tuple", open: "(", close: ")", items };
  });
}

function parseAsciiMatrix(cursor: Cursor): MathNode {
  cursor.expect("symbol", "(");
  const inside = parseBracket(cursor, "(");
  return asMatrix(inside) ?? cursor.fail();
}

/** \sin x, \sin(x), \sin^2 x, \sin^{-1} x, \log_2 x. */
function parseFunction(cursor: Cursor, name: string): MathNode {
  let base: MathNode | undefined;
  let exponent: MathNode | undefined;
  const glued = name === "log" ? parseGluedLogarithm(cursor) : undefined;
  if (glued !== undefined) return glued;
  for (;;) {
    if (base === undefined && cursor.accept("symbol", "_")) base = parseScript(cursor);
    else if (exponent === undefined && cursor.accept("symbol", "^")) exponent = parseScript(cursor);
    else break;
  }
  const argument = parseFunctionArgument(cursor);
  const isInverse =
    exponent?.kind === "number" && exponent.value.numerator === -1n && exponent.value.denominator === 1n;
  if (isInverse && trigonometric.has(name)) return call(`arc${name}`, argument);
  const value = applied(name, argument, base);
  return exponent === undefined ? value : { kind: "power", base: value, exponent };
}

/** \log_28 is the logarithm of 8 to base 2: LaTeX takes one digit, and nothing else is left for the argument. */
function parseGluedLogarithm(cursor: Cursor): MathNode | undefined {
  const number = cursor.peek(1);
  if (!cursor.isSymbol("_") || number.kind !== "number" || number.isSpaced || !/^\d{2,}$/.test(number.text))
    return undefined;
  const { at } = cursor;
  cursor.at += 2;
  if (!startsFactor(cursor)) {
    const [base = "2", ...rest] = number.text;
    return call("log-base", integerNode(BigInt(rest.join(""))), integerNode(BigInt(base)));
  }
  cursor.at = at;
  return undefined;
}

function applied(name: string, argument: MathNode, base: MathNode | undefined): MathNode {
  if (name === "exp") return { kind: "power", base: { kind: "constant", name: "e" }, exponent: argument };
  if (name === "lg") return call("log-base", argument, integerNode(10));
  if (name === "log" && base !== undefined) return call("log-base", argument, base);
  if (trigonometric.has(name)) return call(name, inRadians(argument));
  if (base !== undefined) return { kind: "apply", name: `${name}_`, items: [argument, base] };
  return call(name, argument);
}

/** sin 30^\circ is the sine of pi/6. */
function inRadians(node: MathNode): MathNode {
  if (!some(node, ({ kind }) => kind === "degrees")) return node;
  const turn = quotient(pi, integerNode(180));
  return node.kind === "degrees" ? product([node.value, turn]) : mapChildren(node, inRadians);
}

/** What is in brackets, if it begins with one; otherwise the factors up to the next function or bracket. */
function parseFunctionArgument(cursor: Cursor): MathNode {
  if (cursor.isSymbol("(") || cursor.isSymbol("[")) return parseBracket(cursor, cursor.next().text);
  if (cursor.accept("symbol", "-")) return { kind: "product", items: [integerNode(-1), parseFunctionArgument(cursor)] };
  const items = [parsePostfix(cursor)];
  while (startsFactor(cursor) && !endsArgument(cursor)) items.push(parsePostfix(cursor));
  return product(items);
}

function endsArgument(cursor: Cursor): boolean {
  const { kind, text } = cursor.peek();
  if (kind === "symbol") return text === "(" || text === "[" || text === "|";
  return kind === "text" || (kind === "command" && functions.has(text));
}

/** gcd(a, b), \max\{a, b\}, abs(x). */
function parseListFunction(cursor: Cursor, name: string): MathNode {
  const open = cursor.next();
  if (open.kind !== "symbol") return cursor.fail();
  const inside = parseBracket(cursor, open.text);
  const hasItems = inside.kind === "tuple" || inside.kind === "set" || inside.kind === "list";
  const items = hasItems ? inside.items : [inside];
  if (name === "root") return items.length === 2 && items[0] && items[1] ? root(items[0], items[1]) : cursor.fail();
  return { kind: "call", name, items };
}

/** \overline{AB}, \vec{v}: a name made of its content. Lettering (\mathcal) is no part of the name. */
function parseAccent(cursor: Cursor, name: string): MathNode {
  const content: string[] = [];
  if (cursor.accept("symbol", "{")) {
    for (let depth = 1; depth > 0;) {
      const token = cursor.next();
      if (token.kind === "end") return cursor.fail();
      if (token.kind === "symbol" && token.text === "{") depth++;
      if (token.kind === "symbol" && token.text === "}") depth--;
      content.push(token.text);
    }
    content.pop();
  } else content.push(cursor.next().text);
  const text = content.join("");
  if (name.startsWith("math")) return parseNamed(cursor, text);
  return symbol(`${name === "vec" ? "overrightarrow" : name}{${text}}`);
}
