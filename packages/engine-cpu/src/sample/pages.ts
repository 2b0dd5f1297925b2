// The pages of cached keys and values: who uses them, and which can be found again by what they hold. A full page is known by the
// page before it (or the policy, if it is the first) and its tokens; after its last user it stays until room is needed.
// Invariants: whoever uses a page uses those before it; users give pages back last page first, so that the page that was given back
// longest ago never has one after it that can still be found.

/** What comes before a page: the page with this identity, or a policy. Identities are never used twice. */
export type PageParent = number | string;

export function pageKey(parent: PageParent, tokens: Int32Array): string {
  return `${parent}|${tokens.join()}`;
}

export class PagePool {
  readonly #users: Int32Array;
  /** Nobody can find them. */
  readonly #free: number[];
  readonly #known = new Map<string, number>();
  readonly #keys: (string | undefined)[];
  readonly #identities: Float64Array;
  #nextIdentity = 1;
  /** Known pages without users, as a ring in the order in which they lost the last one; the entry past the last page closes it. */
  readonly #older: Int32Array;
  readonly #newer: Int32Array;
  readonly #ring: number;
  #idle = 0;

  constructor(pages: number) {
    this.#users = new Int32Array(pages);
    this.#free = Array.from({ length: pages }, (_, index) => pages - 1 - index);
    this.#keys = Array.from({ length: pages });
    this.#identities = new Float64Array(pages);
    this.#ring = pages;
    this.#older = new Int32Array(pages + 1).fill(pages);
    this.#newer = new Int32Array(pages + 1).fill(pages);
  }

  /** How many can be taken. */
  get available(): number {
    return this.#free.length + this.#idle;
  }

  /** An empty page with one user; undefined where all are in use. */
  take(): number | undefined {
    const page = this.#free.pop() ?? this.#forgetOldest();
    if (page !== undefined) this.#users[page] = 1;
    return page;
  }

  /** A known page, with one more user. */
  find(key: string): number | undefined {
    const page = this.#known.get(key);
    if (page === undefined) return undefined;
    if (this.#users[page] === 0) this.#unlink(page);
    this.#users[page] = this.#usersOf(page) + 1;
    return page;
  }

  /** A known page that somebody uses; it stays as it is. */
  findUsed(key: string): number | undefined {
    const page = this.#known.get(key);
    return page !== undefined && this.#usersOf(page) > 0 ? page : undefined;
  }

  /** Makes a full page known. Where an equal one is known already, its user goes on with that one. */
  publish(page: number, key: string): number {
    const equal = this.find(key);
    if (equal !== undefined) {
      this.giveBack(page);
      return equal;
    }
    this.#known.set(key, page);
    this.#keys[page] = key;
    this.#identities[page] = this.#nextIdentity++;
    return page;
  }

  /** Of a known page. */
  identity(page: number): number {
    return this.#identities[page] ?? 0;
  }

  giveBack(page: number): void {
    const users = this.#usersOf(page) - 1;
    this.#users[page] = users;
    if (users > 0) return;
    if (this.#keys[page] === undefined) this.#free.push(page);
    else this.#link(page);
  }

  #usersOf(page: number): number {
    return this.#users[page] ?? 0;
  }

  #forgetOldest(): number | undefined {
    if (this.#idle === 0) return undefined;
    const page = this.#newer[this.#ring] ?? 0;
    this.#unlink(page);
    this.#known.delete(this.#keys[page] ?? "");
    this.#keys[page] = undefined;
    return page;
  }

  #link(page: number): void {
    const newest = this.#older[this.#ring] ?? 0;
    this.#older[page] = newest;
    this.#newer[page] = this.#ring;
    this.#newer[newest] = page;
    this.#older[this.#ring] = page;
    this.#idle++;
  }

  #unlink(page: number): void {
    const [older, newer] = [this.#older[page] ?? 0, this.#newer[page] ?? 0];
    this.#newer[older] = newer;
    this.#older[newer] = older;
    this.#idle--;
  }
}
