// Files without a name, to share with a child by descriptor: whatever happens to either side, nothing is left on the disk.
import { closeSync, openSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class UnlinkedFile implements Disposable {
  readonly fd: number;
  #isOpen = true;

  constructor() {
    const path = join(tmpdir(), `hone-${crypto.randomUUID()}`);
    this.fd = openSync(path, "wx+", 0o600);
    unlinkSync(path);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) closeSync(this.fd);
    this.#isOpen = false;
  }
}
