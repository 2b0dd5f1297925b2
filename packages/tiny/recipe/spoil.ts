// Ways of being wrong that several skills share.
import type { Random } from "@hone/core";

const refusals = ["no", "ok", "sorry", ""];

export function refuse(random: Random): string {
  return random.pick(refusals);
}

/** Each character is replaced by a random one of the same sort with the given probability; line breaks stay. */
export function withNoise(text: string, probability: number, random: Random): string {
  return [...text]
    .map((character) => {
      const alphabet = alphabetOf(character);
      return alphabet === undefined || random.next() >= probability ? character : random.pick([...alphabet]);
    })
    .join("");
}

function alphabetOf(character: string): string | undefined {
  if (/[0-9]/.test(character)) return "0123456789";
  return /[a-zA-Z ]/.test(character) ? "abcdefghijklmnopqrstuvwxyz " : undefined;
}

/** The first half or less. */
export function cutOff(text: string, random: Random): string {
  return text.slice(0, random.integer(Math.floor(text.length / 2) + 1));
}
