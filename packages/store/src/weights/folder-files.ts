// Looking into folders that came from elsewhere: whether a file is there, and small JSON files, bounded in size, with an object at the top.
import { access, open } from "node:fs/promises";
import { isMissing } from "../disk-error.ts";
import { badWeights, onDisk } from "./weights-error.ts";

export async function readJsonObject(path: string, mostBytes: number): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(path, mostBytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badWeights(path, `it is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw badWeights(path, "it is not a JSON object");
}

async function readText(path: string, mostBytes: number): Promise<string> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      if (size > mostBytes) throw badWeights(path, `${size} bytes are too many; ${mostBytes} are allowed`);
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    throw onDisk(path, "read", error);
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw onDisk(path, "read", error);
  }
}
