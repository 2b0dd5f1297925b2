// A user's file that could not be imported: what it lacks, or where in it the error is.
import { HoneError } from "@hone/core";

export function notLoaded(error: HoneError): HoneError {
  const { cause, message } = error;
  const reason = cause instanceof Error ? cause.message : "";
  const because = (said: string, hint: string): HoneError => new HoneError(said, { code: "load", hint, cause });
  if (/Cannot find (?:package|module) '[^./]/.test(reason)) {
    const said = message.replace(/ imported from .*$/s, ".");
    return because(said, "Install what it needs: run `npm install` in its folder.");
  }
  const where = cause instanceof Error ? placeIn(cause.stack ?? "") : undefined;
  return where === undefined || message.includes(where) ? error : because(message, `It happened at ${where}.`);
}

/** The first frame in a file of somebody's own: not Node's, not of a package. */
function placeIn(stack: string): string | undefined {
  const frames = stack.matchAll(/(?:file:\/\/)?(\/[^\s()]+\.[cm]?[jt]s:\d+:\d+)/g);
  return [...frames].map(([, place = ""]) => place).find((place) => !place.includes("/node_modules/"));
}
