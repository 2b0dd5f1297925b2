// The LaTeX commands and plain words that have a meaning, each under one name. The tokeniser uses these names;
// the parser never sees a synonym.

function table(entries: string): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const entry of entries.trim().split(/\s+/)) {
    const [name = "", synonyms = ""] = entry.split(":");
    for (const synonym of [name, ...synonyms.split(",")]) if (synonym !== "") map.set(synonym, name);
  }
  return map;
}

/** LaTeX command to its one name. */
export const commandNames = table(`
  frac:dfrac,tfrac,cfrac,sfrac,nicefrac binom:dbinom,tbinom sqrt le:leq,leqslant,leqq ge:geq,geqslant,geqq
  lt gt ne:neq eq:equiv approx:simeq,sim,thickapprox,cong in:isin notin subset:subseteq,subsetneq
  to:rightarrow,longrightarrow,mapsto implies:Rightarrow,Longrightarrow,iff,Leftrightarrow,Longleftrightarrow,therefore
  times:ast,bullet,star cdot div union:cup,bigcup,uplus,sqcup intersection:cap,bigcap setminus:smallsetminus,backslash pm mp
  land:wedge,bigwedge lor:vee,bigvee lnot:neg infinity:infty,infin pi emptyset:varnothing,O
  lfloor rfloor lceil rceil langle rangle lvert rvert lVert rVert vert:Vert mid lbrace rbrace lbrack rbrack
  ldots:dots,cdots,dotsc,dotsb,vdots,ddots sum prod int:iint,oint,intop lim over choose
  mod:bmod pmod degree:circ prime colon overline:bar,widebar dot boxed:fbox partial
  sin cos tan:tg sec csc:cosec cot:ctg,cotg arcsin:asin arccos:acos arctan:atan,arctg arccot:acot,arcctg arcsec:asec arccsc:acsc
  sinh:sh cosh:ch tanh:th coth sech csch arsinh:asinh,arcsinh arcosh:acosh,arccosh artanh:atanh,arctanh
  ln log lg exp det tr:Tr sgn:sign,signum Re Im arg gcd:GCD lcm:LCM max:Max min:Min
  abs floor ceil:ceiling binomial:nCr factorial matrix:Matrix root
`);

/** Functions of one argument, written with or without brackets. */
export const functions: ReadonlySet<string> = new Set(
  `sin cos tan sec csc cot arcsin arccos arctan arccot arcsec arccsc sinh cosh tanh coth sech csch arsinh arcosh artanh
   ln log lg exp det tr sgn Re Im arg`.split(/\s+/),
);
export const trigonometric: ReadonlySet<string> = new Set("sin cos tan sec csc cot".split(" "));
/** Functions that are written with brackets and commas. */
export const listFunctions: ReadonlySet<string> = new Set(
  "gcd lcm max min abs floor ceil binomial factorial root".split(" "),
);

/** Commands that only change how things look. `\left` and `\right` are handled where the tokeniser meets them. */
export const spacing: ReadonlySet<string> = new Set(
  `quad qquad thinspace medspace thickspace negthinspace displaystyle textstyle scriptstyle limits nolimits bigl bigr Bigl Bigr big Big
   bigg Bigg biggl biggr Biggl Biggr hfill newline hline centering noindent nobreak allowbreak normalsize small large it rm bf middle space
   ignorespaces strut cr`.split(/\s+/),
);
/** Commands whose group is layout, not content. */
export const ignoredWithGroup: ReadonlySet<string> = new Set(
  "hspace vspace phantom hphantom vphantom cline label tag color textcolor mspace kern".split(" "),
);
/** Commands whose group is words. */
export const textual: ReadonlySet<string> = new Set(
  `text textbf textit textrm textnormal textsf texttt textsc textup mathrm mathbf mathit mathsf mathtt mathnormal mbox hbox operatorname
   mathop emph underline bm boldsymbol pmb mathstrut unit`.split(/\s+/),
);
export const accents: ReadonlySet<string> = new Set(
  `overline vec hat tilde widehat widetilde overrightarrow overleftrightarrow ddot dot underbrace overbrace overarc
   mathcal mathscr mathfrak`.split(/\s+/),
);

/** Plain words that mean what the command of the same name means. */
export const wordCommands: ReadonlySet<string> = new Set(
  `sin cos tan cot sec csc arcsin arccos arctan asin acos atan sinh cosh tanh ln log lg exp sqrt abs floor ceil gcd lcm max min pi
   infinity infty theta alpha beta gamma delta lambda sigma omega phi binomial nCr factorial matrix Matrix union sgn det mod arccot cosec`.split(
    /\s+/,
  ),
);
/** Those that may run into the letters after them: sinx, lnx. */
export const prefixFunctions: readonly string[] =
  "arcsin arccos arctan sinh cosh tanh sqrt sin cos tan cot sec csc log exp ln".split(" ");

/** Commands that are relations with a symbol. */
export const relationNames: ReadonlyMap<string, string> = new Map(
  Object.entries({ le: "<=", ge: ">=", lt: "<", gt: ">", ne: "!=", eq: "=" }),
);
