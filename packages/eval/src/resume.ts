// What an evaluation directory already holds: which rollouts are done, which failed and are run again, which tasks were seen.
// The last row of a place (group and index) counts. A torn or unreadable row is as if it had never been written.
import type { GroupId, Rollout, TaskId } from "@hone/core";
import { type BadRow, readRollouts, type RunReader } from "@hone/store";

interface PlaceState {
  readonly isDone: boolean;
  readonly attempt: number;
}

export class SavedRollouts {
  readonly #groupSize: number;
  readonly #directory: string | undefined;
  readonly #places = new Map<GroupId, Map<number, PlaceState>>();
  #unfinished: Promise<Map<GroupId, Map<number, Rollout>>> | undefined;

  /** Without a directory there is nothing to resume. */
  constructor(groupSize: number, directory?: string) {
    this.#groupSize = groupSize;
    this.#directory = directory;
  }

  add({ group, index, attempt, failure }: Rollout): void {
    const places = this.#places.get(group) ?? new Map<number, PlaceState>();
    places.set(index, { isDone: failure === undefined, attempt });
    this.#places.set(group, places);
  }

  /** The attempts to make in a group: those that are missing, and those that failed with the next number. */
  missing(group: GroupId): { readonly index: number; readonly attempt: number }[] {
    const places = this.#places.get(group);
    const attempts: { index: number; attempt: number }[] = [];
    for (let index = 0; index < this.#groupSize; index++) {
      const state = places?.get(index);
      if (state?.isDone !== true) attempts.push({ index, attempt: state === undefined ? 0 : state.attempt + 1 });
    }
    return attempts;
  }

  /** The finished rollouts of a group that an earlier run began and did not end, whole: what new ones are compared with. To be asked once per group. */
  async takeGroup(group: GroupId): Promise<readonly Rollout[]> {
    const states = [...(this.#places.get(group)?.values() ?? [])];
    if (this.#directory === undefined || !states.some(({ isDone }) => isDone)) return [];
    // Read once, and only when rewards that compare are met: most evaluations never need it.
    this.#unfinished ??= this.#readUnfinished(this.#directory);
    const groups = await this.#unfinished;
    const rollouts = groups.get(group);
    groups.delete(group);
    return [...(rollouts?.values() ?? [])];
  }

  async #readUnfinished(directory: string): Promise<Map<GroupId, Map<number, Rollout>>> {
    const groups = new Map<GroupId, Map<number, Rollout>>();
    for (const group of this.#places.keys()) if (this.missing(group).length > 0) groups.set(group, new Map());
    for await (const rollout of readRollouts(directory, { onBadRow: () => undefined })) {
      const { group, index, failure } = rollout;
      const isDone = failure === undefined && this.#places.get(group)?.get(index)?.isDone === true;
      if (isDone) groups.get(group)?.set(index, rollout);
    }
    return groups;
  }
}

/** Tasks seen, by id, with their hash. */
export async function readTaskHashes(run: RunReader): Promise<Map<TaskId, string>> {
  const hashes = new Map<TaskId, string>();
  for await (const { value } of run.read("tasks", { onBadRow: () => undefined })) hashes.set(value.task.id, value.hash);
  return hashes;
}

/** Every row in the order of the file, without tokens; rows that cannot be read are reported and left out. */
export function readRows(directory: string, onBadRow: (problem: BadRow) => void): AsyncGenerator<Rollout> {
  return readRollouts(directory, { tokens: false, onBadRow });
}

/** The last row of each place, whole, in the order of the file. Reads twice: only counts are kept in memory. */
export async function* readLatest(directory: string): AsyncGenerator<Rollout> {
  const left = new Map<string, number>();
  const onBadRow = (): void => undefined;
  for await (const { group, index } of readRollouts(directory, { tokens: false, onBadRow })) {
    left.set(`${group}#${index}`, (left.get(`${group}#${index}`) ?? 0) + 1);
  }
  for await (const rollout of readRollouts(directory, { onBadRow })) {
    const place = `${rollout.group}#${rollout.index}`;
    const later = (left.get(place) ?? 1) - 1;
    left.set(place, later);
    if (later === 0) yield rollout;
  }
}
