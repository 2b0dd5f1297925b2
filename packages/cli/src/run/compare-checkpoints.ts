// Two checkpoints bit for bit: tensor by tensor where they are folders of safetensors, whatever the files are called; as bytes where they are single files.
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { openSafetensors, type SafetensorsFile } from "@hone/store/weights";

/** Names of the tensors that differ or are in one of them only. */
export async function differentTensors(a: string, b: string): Promise<readonly string[]> {
  if (!(await stat(a)).isDirectory()) {
    const [left, right] = await Promise.all([readFile(a), readFile(b)]);
    return left.equals(right) ? [] : ["the checkpoint"];
  }
  await using left = await openTensors(a);
  await using right = await openTensors(b);
  const different: string[] = [];
  for (const name of [...new Set([...left.files.keys(), ...right.files.keys()])].sort()) {
    if (!(await areEqual(left.files.get(name), right.files.get(name), name))) different.push(name);
  }
  return different;
}

interface Tensors extends AsyncDisposable {
  /** By the name of a tensor: the file that holds it. */
  readonly files: ReadonlyMap<string, SafetensorsFile>;
}

async function openTensors(folder: string): Promise<Tensors> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".safetensors"));
  const opened = await Promise.all(names.map((name) => openSafetensors(join(folder, name))));
  const files = new Map(opened.flatMap((file) => file.tensors().map(({ name }) => [name, file] as const)));
  return {
    files,
    [Symbol.asyncDispose]: async () => {
      for (const file of opened) await file[Symbol.asyncDispose]();
    },
  };
}

async function areEqual(
  left: SafetensorsFile | undefined,
  right: SafetensorsFile | undefined,
  name: string,
): Promise<boolean> {
  if (left === undefined || right === undefined) return false;
  const [one, other] = [await left.read(name), await right.read(name)];
  return one.dtype === other.dtype && Buffer.compare(one.bytes, other.bytes) === 0;
}
