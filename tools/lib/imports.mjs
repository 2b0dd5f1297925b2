// Which modules a source file names, and where. A small scanner instead of a parser, because the tools use Node built-ins
// only. A file's address, `new URL("./x", import.meta.url)`, counts as an import. Comments, template literals and regular expressions are skipped, so generated code inside a string is not an import.

/**
 * @typedef {object} Import
 * @property {string} specifier
 * @property {number} line from 1
 * @property {number} column from 1
 */

// Before a regular expression stands an operator, an opening bracket or one of these words; before a division, a value.
const beforeRegex = /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|void|delete|throw|await|else|do))\s*$/;
const beforeSpecifier = /(?:\bfrom|\bimport|\b(?:import|require|require\.resolve|import\.meta\.resolve)\s*\()\s*$/;
const beforeAddress = /\bnew\s+URL\s*\(\s*$/;
const afterAddress = /^\s*,\s*import\.meta\.url\b/;

/**
 * @param {string} source
 * @returns {readonly Import[]}
 */
export function importsOf(source) {
  /** @type {Import[]} */
  const imports = [];
  /** Code so far, with one character for whatever is not code: what the two patterns look back at. */
  let code = "";
  /** Braces open in each open `${`; the file around them never closes. @type {number[]} */
  const braces = [Infinity];
  let at = 0;

  /**
   * @param {number} end
   * @param {string} standIn
   */
  const skipTo = (end, standIn) => {
    code += standIn;
    at = end;
  };

  while (at < source.length) {
    const character = source.charAt(at);
    const pair = source.slice(at, at + 2);
    if (pair === "//") skipTo(endOf(source, "\n", at), " ");
    else if (pair === "/*") skipTo(endOf(source, "*/", at + 2), " ");
    else if (character === '"' || character === "'") {
      const end = closing(source, at, character);
      const before = code.slice(-64);
      const isAddress = beforeAddress.test(before) && afterAddress.test(source.slice(end, end + 64));
      if (isAddress || beforeSpecifier.test(before)) {
        imports.push({ specifier: source.slice(at + 1, end - 1), ...positionOf(source, at) });
      }
      skipTo(end, character);
    } else if (character === "`" || (character === "}" && braces.at(-1) === 0)) {
      if (character === "}") braces.pop();
      const end = templateEnd(source, at + 1, braces);
      skipTo(end, source.charAt(end - 1));
    } else if (character === "/" && beforeRegex.test(code.slice(-64))) skipTo(closing(source, at, "/"), "/");
    else {
      if (character === "{") braces.push((braces.pop() ?? 0) + 1);
      if (character === "}") braces.push((braces.pop() ?? 0) - 1);
      skipTo(at + 1, character);
    }
  }
  return imports;
}

/**
 * After the end of a template's text: its closing backtick, or the `${` that starts a substitution.
 * @param {string} source
 * @param {number} from
 * @param {number[]} braces
 */
function templateEnd(source, from, braces) {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === "`") return at + 1;
    else if (source[at] === "$" && source[at + 1] === "{") {
      braces.push(0);
      return at + 2;
    }
  }
  return source.length;
}

/**
 * After the closing quote or slash; a line's end closes too, so that one odd line never hides the rest of a file.
 * @param {string} source
 * @param {number} from
 * @param {string} delimiter
 */
function closing(source, from, delimiter) {
  let inClass = false;
  for (let at = from + 1; at < source.length; at += 1) {
    const character = source[at];
    if (character === "\\") at += 1;
    else if (character === "\n") return at;
    else if (delimiter === "/" && character === "[") inClass = true;
    else if (delimiter === "/" && character === "]") inClass = false;
    else if (character === delimiter && !inClass) return at + 1;
  }
  return source.length;
}

/**
 * @param {string} source
 * @param {string} mark
 * @param {number} from
 */
function endOf(source, mark, from) {
  const found = source.indexOf(mark, from);
  return found === -1 ? source.length : found + mark.length;
}

/**
 * @param {string} source
 * @param {number} offset
 */
function positionOf(source, offset) {
  const before = source.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
