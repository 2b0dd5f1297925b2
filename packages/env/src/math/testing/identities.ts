// Expressions that are identical, and one that is not. k stands for a whole number from 3 to 9.

export const identities: readonly (readonly [gold: string, equal: string, unequal: string])[] = [
  ["\\sin^2(kx) + \\cos^2(kx)", "1", "2\\sin^2(kx)"],
  ["2\\sin(kx)\\cos(kx)", "\\sin(2kx)".replace("2k", "{2}\\cdot k"), "\\sin(kx)"],
  ["\\sqrt{(x+k)^2}", "|x+k|", "x+k"],
  ["e^{kx}", "(e^x)^k", "e^x"],
  ["\\ln(x^k)", "k\\ln(x)", "(\\ln x)^k"],
  ["\\frac{x^2-k^2}{x-k}", "x+k", "x-k"],
  ["\\sqrt{k^2x}", "k\\sqrt{x}", "\\sqrt{k}x"],
  ["\\frac{1}{\\sqrt{x}+k}", "\\frac{\\sqrt{x}-k}{x-k^2}", "\\frac{\\sqrt{x}+k}{x-k^2}"],
  ["k^{n+1}", "k \\cdot k^n", "k^n + k"],
  ["\\binom{n}{2} + k", "\\frac{n(n-1)}{2} + k", "\\frac{n(n+1)}{2} + k"],
  ["\\frac{(n+1)!}{n!} + k", "n + 1 + k", "n + k"],
  ["\\sum_{j=1}^{n} (j + k)", "\\frac{n(n+1)}{2} + kn", "\\frac{n(n-1)}{2} + kn"],
  ["\\frac{d}{dx} x^k", "kx^{k-1}", "x^{k-1}"],
  ["\\int_0^{k} x \\, dx", "\\frac{k^2}{2}", "k^2"],
  ["\\lim_{x \\to 0} \\frac{\\sin(kx)}{x}", "k", "k+1"],
  ["\\log_2(x) + k", "\\frac{\\ln x}{\\ln 2} + k", "\\ln x + k"],
  ["\\tan^2 x + k", "\\sec^2 x + k - 1", "\\sec^2 x + k"],
  ["f(x+k)", "f(k+x)", "f(x) + f(k)"],
  ["a_{n+k}", "a_{k+n}", "a_{n-k}"],
];
