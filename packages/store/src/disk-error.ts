// The operating system said no. One code, "disk", with the file and what to do; the errno stays in `cause`.
import { HoneError } from "@hone/core";

const full = "Free some space and resume; every row that was acknowledged is intact.";
const forbidden = "Check that this user may write there.";
const tooManyFiles = "Too many files are open; raise the limit (ulimit -n) or lower the concurrency.";
const hints: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", full],
  ["EDQUOT", full],
  ["EFBIG", "The file reached a size limit of this system or user; raise it and resume."],
  ["EACCES", forbidden],
  ["EPERM", forbidden],
  ["EROFS", forbidden],
  ["EMFILE", tooManyFiles],
  ["ENFILE", tooManyFiles],
]);

type DiskAction = "write" | "read" | "open" | "lock";

export function diskError(path: string, action: DiskAction, cause: unknown): HoneError {
  if (HoneError.is(cause)) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const hint = hints.get(errorCode(cause) ?? "");
  return new HoneError(`cannot ${action} ${path}: ${reason}`, {
    code: "disk",
    ...(hint === undefined ? {} : { hint }),
    cause,
  });
}

/** The errno of a system error: "ENOENT", "ENOSPC". */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
