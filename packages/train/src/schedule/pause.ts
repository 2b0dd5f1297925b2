// Waiting a while, or until the signal: then it is over without an error, and whoever waited sees the signal.
import { abortable } from "@hone/env";

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await abortable(over, signal).catch(() => undefined);
  clearTimeout(timer);
}
