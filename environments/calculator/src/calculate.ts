// What the tool does: + - * and brackets on whole numbers, exact at any size.
// Every wrong expression is an error whose text helps the model to write a right one.

/** Longer ones are refused by the tool, so that depth and digits stay bounded. */
export const mostCharacters = 200;

export function calculate(expression: string): string {
  const tokens = expression.match(/\d+|\S/g) ?? [];
  let at = 0;
  const fail = (wanted: string): never => {
    throw new Error(`${wanted} is missing ${tokens[at] === undefined ? "at the end" : `before "${tokens[at]}"`}.`);
  };
  const factor = (): bigint => {
    const token = tokens[at] ?? "";
    if (/^\d+$/.test(token)) {
      at++;
      return BigInt(token);
    }
    if (token !== "(" && token !== "-") return fail("a number");
    at++;
    if (token === "-") return -factor();
    const inside = sum();
    if (tokens[at] !== ")") return fail("a closing bracket");
    at++;
    return inside;
  };
  const product = (): bigint => {
    let value = factor();
    while (tokens[at] === "*") {
      at++;
      value *= factor();
    }
    return value;
  };
  const sum = (): bigint => {
    let value = product();
    while (tokens[at] === "+" || tokens[at] === "-") {
      const isSum = tokens[at++] === "+";
      value += isSum ? product() : -product();
    }
    return value;
  };
  const value = sum();
  return at === tokens.length ? String(value) : fail("+, - or *");
}
