// Tasks of alphabet-sort: invented people, first and last name written together (AnnaBerg), in batches, one batch a turn.
import { createRandom } from "@hone/env";

export interface SortTask {
  readonly sortBy: "first" | "last";
  readonly batches: readonly (readonly string[])[];
}

export interface TaskShape {
  readonly minTurns: number;
  readonly maxTurns: number;
  readonly minNamesPerTurn: number;
  readonly maxNamesPerTurn: number;
  readonly sortBy: SortTask["sortBy"] | "either";
  readonly seed: number;
}

const first = (
  "Ada Alma Anna Arne Aziz Bela Berit Bruno Carla Chen Clara Dario Dina Edda Elif Emil Enzo Erik Esra Eva Fadi Finn Flora Gita Greta Hana " +
  "Hugo Ida Igor Ines Ivo Jana Jomo Jonas Kaito Karin Kofi Lars Lea Leila Lina Lotte Luca Maja Malik Marta Mila Nadia Nils Noor Olga Omar " +
  "Oskar Paula Petra Pia Quinn Rana Rosa Ruben Sana Selma Sofia Sven Tariq Tessa Tova Ugo Vera Viktor Wanda Willa Xenia Yara Yusuf Zara Zoe"
).split(" ");
const last = (
  "Abel Adler Ahmed Alba Arendt Bach Baker Berg Blom Boateng Bose Brandt Castro Cohen Costa Dahl Demir Diaz Dietrich Ekman Elias Farah Fischer " +
  "Fonseca Frank Gomez Graf Grieg Haas Hansen Hassan Holm Huber Ito Ivanov Jansen Jung Kaya Keller Khan Kimura Klein Kovac Krause Lang Lima " +
  "Lindt Lopez Maier Mbeki Meyer Moreau Nakata Nkosi Noble Novak Okafor Olsen Ortega Park Peters Popov Quist Rahman Ramos Roth Saito Santos " +
  "Sharma Silva Smit Stein Tanaka Toure Ueda Urban Vargas Vogel Wagner Weber Wolf Xu Yilmaz Young Zapata Ziegler Zola"
).split(" ");

/** Task `index` depends on the seed and the index alone; no name comes twice. */
export function makeTask(shape: TaskShape, index: number): SortTask {
  const random = createRandom(`${shape.seed}/${index}`);
  const between = (low: number, high: number): number => low + random.integer(Math.max(1, high - low + 1));
  const turns = between(shape.minTurns, shape.maxTurns);
  const used = new Set<string>();
  const name = (): string => {
    for (;;) {
      const candidate = random.pick(first) + random.pick(last);
      if (used.has(candidate)) continue;
      used.add(candidate);
      return candidate;
    }
  };
  const batches = Array.from({ length: turns }, () =>
    Array.from({ length: between(shape.minNamesPerTurn, shape.maxNamesPerTurn) }, name),
  );
  const drawn = random.pick(["first", "last"] as const);
  return { sortBy: shape.sortBy === "either" ? drawn : shape.sortBy, batches };
}

/** By code units, the other half of the name breaking ties. The last name starts at the first capital after the first letter. */
export function sorted(names: readonly string[], by: SortTask["sortBy"]): string[] {
  const key = (name: string): string => {
    const split = Math.max(0, name.slice(1).search(/[A-Z]/)) + 1;
    const halves = [name.slice(0, split), name.slice(split)];
    return (by === "first" ? halves : halves.toReversed()).join(" ");
  };
  return [...names].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}
