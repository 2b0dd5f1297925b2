// Answers for bench/math: an own list of the kinds that competition problems have, or the golds of a file.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const numbers = String.raw`
2 5 10 -3 12 144 1 0 -1 17 2004 1,\!000 10,080 45 60 90 720 1024 3600 4096 7 8 9 100 256 625 999
\frac{1}{2} \frac{3}{4} \frac{5}{8} -\frac{7}{3} \frac{13}{36} \dfrac{22}{7} \frac34 \frac{1}{72} \frac{192}{25} -\frac{2}{9}
0.5 2.25 3.14 1.8 -0.25 0.0625 .75 12.5 98.6 0.\overline{3} 1010_2 204_5 2516_8 1200_7 28\% 12.5\% 44\%
1\frac{3}{4} 11\frac{2}{3} 3:1 7:2 45^\circ 120^{\circ} 36^\circ \$3800 \$12.50 \$1,\!250
\sqrt{2} 2\sqrt{3} 5\sqrt{2} \frac{\sqrt{3}}{2} \frac{1+\sqrt{5}}{2} 3-\sqrt{7} 16\sqrt{3} \sqrt[3]{2} \frac{2\sqrt{149}}{3} 6+9\sqrt{3}
\pi 12\pi \frac{\pi}{6} \frac{3\pi}{4} 8\pi-16 24+4\pi \frac{27\pi}{1024} 4\pi-2\sqrt{3} \frac{\pi^2}{6}
i 1+2i 6-5i -16+24i \frac{3}{2}+\frac{3}{2}i -668i e^{i\pi/3} 2^{10} 3^{2023} 10! \binom{10}{3} \frac{1}{2004!} \log_{2}3 \ln2 e^2
`;
const others = String.raw`
x^2-1
2x+3
3x^2-7x+4
(x+2)(x-5)
4x^5-3x^3+2
-2x^2+8x-11
a^2+b^2+c^2
(a-b)(b-c)(c-a)
6p^4+5p^2-4
\frac{x+2}{7}
\frac{1}{2-x}
\frac{11x+5}{x-2}
\frac{2x-7}{(x+1)(x-2)}
\sqrt{x-3}+3
36x\sqrt{35x}
2^{n+1}-1
\frac{n(n+1)}{2}
\binom{n}{2}
\sin x
2\tan x
\cos 13^\circ
\sin^2 x
3-2f(x)
a_{n+1}
y=2x+3
x=5
x=-\frac{1}{2}
x^2+y^2=25
y=\frac{1}{4}x^2
\frac{x^2}{16}-\frac{y^2}{9}=1
10x-4y-5z-20=0
x>3
x\le -2
1<x<5
-3\le x\le 7
(1,2)
(3,-4)
\left(\frac{1}{2},-3\right)
(1,2,3)
\left(3,\frac{\pi}{2}\right)
(-\infty,4)
[0,\infty)
(2,5]
[-1,3]
(-\infty,-2)\cup(2,\infty)
(-\infty,0)\cup(0,\infty)
[1,2)\cup(2,3]
\left[\frac{1}{2},\frac{4}{3}\right]
\{1,2,3\}
\{-2,0,5\}
1,2,3
-4,-3,-1
\frac{1}{2},1,2
1\pm\sqrt{19}
3\pm2\sqrt{2}
2+\sqrt{6},2-\sqrt{6}
7,-2,\text{ and }-5
\begin{pmatrix}1\\2\end{pmatrix}
\begin{pmatrix}-7\\16\\5\end{pmatrix}
\begin{pmatrix}1&2\\3&4\end{pmatrix}
\begin{pmatrix}0&-1\\1&0\end{pmatrix}
\begin{pmatrix}1/3&2/3\\0&1\end{pmatrix}
\text{(A)}
\text{(C)}
B
\text{even}
\text{ellipse}
\text{Monday}
\text{June 20}
\text{4:30 p.m.}
12\text{ cm}
100\text{ square units}
45\text{ mph}
18\text{ ways}
8\sqrt{3}\text{ square inches}
5\text{ hours}
`;

export const ownAnswers = [...numbers.trim().split(/\s+/), ...others.trim().split("\n")];

/** The golds of a .jsonl or .jsonl.gz file: `answer`, or the last box of `solution`. */
export function answersIn(file) {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map(({ answer, solution }) => answer ?? lastBox(solution ?? ""))
    .filter((answer) => answer.trim() !== "");
}

function lastBox(solution) {
  const open = solution.lastIndexOf("\\boxed");
  if (open === -1) return "";
  let at = open + "\\boxed".length;
  while (solution[at] === " ") at++;
  if (solution[at] !== "{") return solution[at] ?? "";
  let depth = 0;
  for (let end = at; end < solution.length; end++) {
    if (solution[end] === "{") depth++;
    else if (solution[end] === "}" && --depth === 0) return solution.slice(at + 1, end);
  }
  return "";
}

/** What changes nothing about an answer. */
const rewrites = [
  (text) => `$${text}$`,
  (text) => `\\boxed{${text}}`,
  (text) => text.replaceAll("\\frac", "\\dfrac"),
  (text) => text.replaceAll("\\dfrac", "\\frac").replaceAll("\\tfrac", "\\frac"),
  (text) => text.replaceAll("\\left", "").replaceAll("\\right", ""),
  (text) => (text.includes("\\text") || text.includes("\\mbox") ? text : text.replaceAll(/(?<!\\)([([])/g, "\\left$1")),
  (text) => text.replaceAll(/(?<!\\)([+=])/g, " $1 "),
  (text) => `${text}.`,
];

/** Each answer rewritten, and each against the next one: what a grader sees, right and wrong. */
export function pairsOf(answers) {
  return answers.flatMap((gold, index) => {
    const rewrite = rewrites[index % rewrites.length];
    const other = answers[(index + 1) % answers.length];
    return [
      { answer: rewrite(gold), gold, isEqual: true },
      { answer: other, gold, isEqual: undefined },
      { answer: gold.replace(/\d/, (digit) => `${(Number(digit) + 1) % 10}`), gold, isEqual: undefined },
    ];
  });
}
