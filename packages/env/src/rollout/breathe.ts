// Rollouts whose models answer at once are one long chain of microtasks: timers, sockets and Ctrl-C would wait for all of them. So only so many
// steps of rollouts are taken per turn of the event loop; the others queue for the next. There is one event loop, hence one queue for all.

const stepsPerTurn = 32;
const waiting: (() => void)[] = [];
let taken = 0;
let isScheduled = false;

/** Undefined when this step may be taken in the present turn of the event loop; else wait for it. */
export function breathe(): Promise<void> | undefined {
  schedule();
  if (taken < stepsPerTurn) {
    taken++;
    return undefined;
  }
  return new Promise((resolve) => waiting.push(resolve));
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    const next = waiting.splice(0, stepsPerTurn);
    taken = next.length;
    for (const resume of next) resume();
    if (taken > 0) schedule();
  });
}
