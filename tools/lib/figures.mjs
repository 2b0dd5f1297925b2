// What a bench prints: one JSON object per line for each figure, and any other line for people.

/**
 * @typedef {object} Figure
 * @property {string} bench
 * @property {string} figure
 * @property {number} value
 * @property {string} unit
 * @property {number} [bar]
 * @property {boolean} [ok] only with a bar
 */

/**
 * Figures that have a bar and are on its wrong side.
 * @param {string} output
 * @returns {readonly Figure[]}
 */
export function missedFigures(output) {
  return output
    .split("\n")
    .map(parseFigure)
    .filter((figure) => figure !== undefined)
    .filter((figure) => figure.ok === false);
}

/**
 * @param {string} line
 * @returns {Figure | undefined}
 */
function parseFigure(line) {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
