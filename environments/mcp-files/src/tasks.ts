// Tasks from a seed: a small office archive with names that say nothing, and a question that only its contents answer.
// The right reply, or the files as they must be afterwards, are known from how the archive was made.
import { createRandom, type Random } from "@hone/env";

export interface FileTask {
  readonly id: string;
  readonly ask: string;
  /** The archive, by path below /work. */
  readonly files: Readonly<Record<string, string>>;
  readonly answer: Answer;
}
/** A reply, or files: those that must be there with their contents, and paths that must be gone. */
export type Answer =
  | { readonly type: "reply"; readonly text: string }
  | {
      readonly type: "files";
      readonly there: Readonly<Record<string, string>>;
      readonly gone: readonly string[];
    };

const firstNames = ["Ada", "Bela", "Cleo", "Dara", "Emil", "Fay", "Goran", "Hana", "Ines", "Jon", "Kaya", "Liam"];
const lastNames = ["Abel", "Brandt", "Costa", "Dahl", "Eriksen", "Fiore", "Grahn", "Holm", "Ivanov", "Jensen"];
const projects = ["Egret", "Finch", "Heron", "Ibis", "Kestrel", "Lark"];
const events = ["door opened", "door closed", "backup started", "backup finished", "pump checked", "light replaced"];
const troubles = ["pump stopped", "door forced", "backup failed", "sensor silent"];

const numbered = (folder: string, index: number, ending: string): string =>
  `${folder}/${String(index + 1).padStart(2, "0")}.${ending}`;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export function makeTasks({ count, seed }: { readonly count: number; readonly seed: string }): FileTask[] {
  const kinds = { find, count: countLines, move, summarise };
  return times(count, (index) => {
    const [kind, make] = Object.entries(kinds)[index % 4]!;
    const random = createRandom(`${seed}/${index}`);
    return { id: `${kind}-${index}`, ...make(random) };
  });
}

type Made = Omit<FileTask, "id">;

function find(random: Random): Made {
  const badges = random.shuffle(times(900, (index) => `K-${index + 1100}`));
  const people = times(10, (index) => ({
    path: numbered("people", index, "txt"),
    badge: badges[index]!,
    text: `Name: ${random.pick(firstNames)} ${random.pick(lastNames)}\nRoom: ${100 + random.integer(300)}\nBadge: ${badges[index]!}\n`,
  }));
  const wanted = random.pick(people);
  return {
    ask: `Which file below people/ has the badge ${wanted.badge}? Reply with its path alone, relative to /work.`,
    files: { ...logs(random), ...Object.fromEntries(people.map(({ path, text }) => [path, text])) },
    answer: { type: "reply", text: wanted.path },
  };
}

function countLines(random: Random): Made {
  const files = logs(random);
  const path = random.pick(Object.keys(files));
  const lines = files[path]!.split("\n").filter((line) => line.includes("ERROR"));
  return {
    ask: `How many lines of ${path} contain the word ERROR in capitals? Reply with the number alone.`,
    files,
    answer: { type: "reply", text: String(lines.length) },
  };
}

function move(random: Random): Made {
  const numbers = random.shuffle(times(900, (index) => 20_100 + index));
  const invoice = (number: number): string =>
    `Invoice ${number}\nFrom: ${random.pick(lastNames)} & ${random.pick(lastNames)}\nAmount: ${10 + random.integer(900)} EUR\n`;
  const scans = times(8, (index) => {
    return { path: numbered("inbox", index, "txt"), number: numbers[index]!, text: invoice(numbers[index]!) };
  });
  const filed = { [`invoices/${numbers[8]!}.txt`]: invoice(numbers[8]!) };
  const wanted = random.pick(scans);
  const others = scans.filter((scan) => scan !== wanted);
  const byPath = (all: typeof scans): Record<string, string> =>
    Object.fromEntries(all.map(({ path, text }) => [path, text]));
  const destination = `invoices/${wanted.number}.txt`;
  return {
    ask: `One of the files in inbox/ is invoice ${wanted.number}. Move it to ${destination}, unchanged, and leave the others where they are.`,
    files: { ...filed, ...byPath(scans) },
    answer: {
      type: "files",
      there: { ...filed, ...byPath(others), [destination]: wanted.text },
      gone: [wanted.path],
    },
  };
}

function summarise(random: Random): Made {
  const chosen = random.shuffle(projects).slice(0, 3).toSorted();
  const hours = new Map(chosen.map((project) => [project, 0]));
  const notes = times(9, (index) => {
    // Each project at least once.
    const project = chosen[index] ?? random.pick(chosen);
    const spent = 1 + random.integer(9);
    hours.set(project, (hours.get(project) ?? 0) + spent);
    return `# ${random.pick(firstNames)}'s week\n\nProject: ${project}\nHours: ${spent}\n`;
  });
  const shuffled = random.shuffle(notes).map((text, index) => [numbered("notes", index, "md"), text] as const);
  const summary = chosen.map((project) => `${project}: ${hours.get(project) ?? 0}`).join("\n");
  return {
    ask: "Each file in notes/ has a project and hours. Write summary.txt: one line per project, `<project>: <hours in all>`, sorted by name, nothing else.",
    files: Object.fromEntries(shuffled),
    answer: { type: "files", there: { "summary.txt": summary, ...Object.fromEntries(shuffled) }, gone: [] },
  };
}

/** Lower-case errors are there to be told apart from the ones that count. */
function logs(random: Random): Record<string, string> {
  return Object.fromEntries(
    times(3, (day) => {
      const lines = times(15 + random.integer(20), (index) => {
        const time = `${String(6 + Math.floor(index / 4)).padStart(2, "0")}:${String((index % 4) * 15).padStart(2, "0")}`;
        const roll = random.next();
        if (roll < 0.25) return `${time} ERROR ${random.pick(troubles)}`;
        return `${time} INFO ${roll < 0.4 ? "no error: " : ""}${random.pick(events)}`;
      });
      return [numbered("logs", day, "log"), `${lines.join("\n")}\n`];
    }),
  );
}
