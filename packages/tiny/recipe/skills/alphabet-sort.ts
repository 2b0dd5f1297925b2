// Sorting two to four names by the first name, in one turn.
import { refuse } from "../spoil.ts";
import type { Skill } from "./skill.ts";

interface Names {
  readonly sortBy: "first" | "last";
  readonly batches: readonly (readonly string[])[];
}

const namesOf = ({ batches }: Names): readonly string[] => batches[0] ?? [];
const tagged = (names: readonly string[]): string =>
  `<alphabetical_sorted>\n${names.join("\n")}\n</alphabetical_sorted>`;
/** By code units, as the environment does. */
const sorted = (task: Names): string[] => [...namesOf(task)].sort();

export const alphabetSort: Skill<Names> = {
  name: "alphabet-sort",
  args: { brief: true, sortBy: "first", minTurns: 1, maxTurns: 1, minNamesPerTurn: 2, maxNamesPerTurn: 4 },
  maxTokens: 80,
  kinds: {
    clean: ({ task }) => tagged(sorted(task)),
    another: ({ other }) => tagged(sorted(other)),
    copy: ({ task }) => tagged(namesOf(task)),
    shuffled: ({ task, random }) => tagged(random.shuffle(namesOf(task))),
    cut: ({ task, random }) => tagged(sorted(task).slice(0, 1 + random.integer(namesOf(task).length - 1))),
    refusal: ({ random }) => refuse(random),
  },
};
