// Mathematical characters outside ASCII, as the LaTeX that the tokeniser knows. Replaced once, before scanning.

const replacements: ReadonlyMap<string, string> = new Map([
  ...pairs("−–—‐‑﹣－", "-"),
  ...pairs("×✕⨯", "\\times "),
  ...pairs("·⋅∙•", "\\cdot "),
  ...pairs("÷∕⁄", "/"),
  ...pairs("\u00a0\u2009\u202f\u2003\u2002\u3000\u200b\ufeff", " "),
  ...pairs("≤⩽≦", "\\le "),
  ...pairs("≥⩾≧", "\\ge "),
  ...pairs("∘°º", "^\\circ "),
  ...pairs("∣｜", "|"),
  ...pairs("′’", "'"),
  ...pairs("∅⌀", "\\emptyset "),
  ...pairs("ϕφ", "\\phi "),
  ...pairs("∖", "\\setminus "),
  ...pairs("，、", ","),
  ...pairs("…⋯", "\\ldots "),
  ...words(
    "∞ \\infty π \\pi √ \\sqrt ≠ \\ne ± \\pm ∓ \\mp ∪ \\cup ∩ \\cap ∈ \\in ∉ \\notin ≈ \\approx ≡ \\equiv ⊂ \\subset ⊆ \\subset",
  ),
  ...words(
    "∧ \\land ∨ \\lor → \\to ⇒ \\implies ⇔ \\iff ⌊ \\lfloor ⌋ \\rfloor ⌈ \\lceil ⌉ \\rceil ⟨ \\langle ⟩ \\rangle ∑ \\sum ∏ \\prod",
  ),
  ...words(
    "∫ \\int ∂ \\partial ℝ \\mathbb{R} ℤ \\mathbb{Z} ℕ \\mathbb{N} ℚ \\mathbb{Q} ℂ \\mathbb{C} ∠ \\angle △ \\triangle",
  ),
  ...words(
    "α \\alpha β \\beta γ \\gamma δ \\delta ε \\epsilon θ \\theta λ \\lambda μ \\mu ρ \\rho σ \\sigma τ \\tau ω \\omega ψ \\psi",
  ),
  ...words("Δ \\Delta Σ \\Sigma Ω \\Omega Γ \\Gamma Φ \\Phi Θ \\Theta"),
  ...words("（ ( ） ) ［ [ ］ ] ： : ； ; ＝ = ＋ + ％ % ． . ＜ < ＞ > 【 [ 】 ]"),
  ...words(
    "½ \\frac{1}{2} ⅓ \\frac{1}{3} ⅔ \\frac{2}{3} ¼ \\frac{1}{4} ¾ \\frac{3}{4} ⅕ \\frac{1}{5} ⅖ \\frac{2}{5} ⅗ \\frac{3}{5}",
  ),
  ...words("⅘ \\frac{4}{5} ⅙ \\frac{1}{6} ⅚ \\frac{5}{6} ⅛ \\frac{1}{8} ⅜ \\frac{3}{8} ⅝ \\frac{5}{8} ⅞ \\frac{7}{8}"),
  ...pairs("€£¥₹₽₩¢", ""),
]);

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ";
const superscriptOf = "0123456789+-n";
const subscripts = "₀₁₂₃₄₅₆₇₈₉₊₋ₙ";

function pairs(characters: string, replacement: string): [string, string][] {
  return [...characters].map((character) => [character, replacement]);
}

/** "a b c d": a becomes b, c becomes d. A command gets a space after it, so that a letter may follow. */
function words(list: string): [string, string][] {
  const parts = list.split(" ");
  return parts.flatMap((part, index) => {
    const replacement = parts[index + 1];
    if (index % 2 === 1 || replacement === undefined) return [];
    return [[part, /^\\[a-z]+$/i.test(replacement) ? `${replacement} ` : replacement]];
  });
}

/** The text with every known character replaced; runs of raised or lowered digits become one script. */
export function toAscii(text: string): string {
  if (/^[\x20-\x7e\s]*$/.test(text)) return text;
  const out: string[] = [];
  let script: "^" | "_" | undefined;
  for (const character of text) {
    const raised = superscripts.indexOf(character);
    const lowered = raised === -1 ? subscripts.indexOf(character) : -1;
    const next = raised !== -1 ? "^" : lowered !== -1 ? "_" : undefined;
    if (next !== script) {
      if (script !== undefined) out.push("}");
      if (next !== undefined) out.push(next, "{");
      script = next;
    }
    if (next === undefined) out.push(replacements.get(character) ?? character);
    else out.push(superscriptOf[raised !== -1 ? raised : lowered] ?? "");
  }
  if (script !== undefined) out.push("}");
  return out.join("");
}
