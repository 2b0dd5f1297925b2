// The first process of a sandbox: a bash script that starts programs when the host says so. As process 1 of its pid namespace it cannot be
// killed or stopped from inside, inherits and reaps every orphan, and takes all processes with it when it ends; it ends when the host's end of
// its standard input closes. It only uses what bash has built in, so it works when no further process can be made.
//
// One line per order on standard input:
//   run SLOT                start what SLOT.run says; SLOT.out, SLOT.err and SLOT.status are FIFOs that the host reads
//   signal SLOT NAME        to the program's process group
//   end SLOT KEPT...        kill the program and every process that no program of the slots KEPT is an ancestor of
//   clear                   kill every process
// A program's status comes through SLOT.status, as its exit code and a line end. When even the shell that would report it was killed, the
// FIFO ends without one.
import { quote } from "../shared/quote.ts";
import type { Limits } from "../shared/settings.ts";
import { channelFolder } from "./view.ts";

/** Job control gives each program a process group of its own. */
export const supervisorScript = `set -m
exec 8>&1 2>/dev/null
cd ${channelFolder}
declare -A programs

run() {
  (
    # The program's group gets the signals, this shell is in it, and must live to report.
    trap : HUP INT QUIT TERM USR1 USR2 ALRM PIPE
    (
      trap - HUP INT QUIT TERM USR1 USR2 ALRM PIPE
      for descriptor in /proc/self/fd/*; do
        descriptor=\${descriptor##*/}
        ((descriptor > 2)) && eval "exec $descriptor>&-"
      done
      . "$1.run"
    )
    echo "$?" >&9
  ) </dev/null >"$1.out" 2>"$1.err" 9>"$1.status" 8>&- &
  programs[$1]=$!
}

# Of every process: its state and its parent. Names of programs may contain anything, but are followed by the last bracket.
survey() {
  states=() parents=()
  local path line
  for path in /proc/[0-9]*; do
    line=
    IFS= read -r -d '' line 2>/dev/null <"$path/stat"
    [[ $line == *') '* ]] || continue
    set -- \${line##*') '}
    states[\${path#/proc/}]=$1 parents[\${path#/proc/}]=$2
  done
}

# Stopped processes make no more children, so a round that finds nobody to stop has seen everybody.
end() {
  local -A states parents kept
  local slot id above round isNew
  kill -s STOP -- "-\${programs[$1]}"
  for ((round = 0; round < 50; round++)); do
    survey
    isNew=
    for id in "\${!parents[@]}"; do
      kept[$id]=
      for ((above = id; above > 1; above = \${parents[$above]:-0})); do
        for slot in "\${@:2}"; do [[ $above == "\${programs[$slot]}" ]] && kept[$id]=yes; done
      done
      [[ $id == 1 || \${states[$id]} == [ZX] ]] && kept[$id]=yes
      [[ \${kept[$id]} || \${states[$id]} == T ]] || { kill -s STOP "$id" && isNew=yes; }
    done
    [[ $isNew ]] || break
  done
  for id in "\${!parents[@]}"; do [[ \${kept[$id]} ]] || kill -s KILL "$id"; done
}

echo ready >&8
while read -r order slot rest; do
  case $order in
    run) run "$slot" ;;
    signal) kill -s "$rest" -- "-\${programs[$slot]}" ;;
    end) end "$slot" $rest ;;
    clear) kill -s KILL -- -1 ;;
  esac
done
`;

export interface ProgramLimits extends Limits {
  /** Of processor time, for each process. */
  readonly cpuSeconds: number;
  /** A cgroup does; the rlimit is not needed. */
  readonly isCountedByCgroup: boolean;
}

/** For one process each. */
function limitLine({ memoryMb, diskMb, cpuSeconds }: ProgramLimits): string {
  return `ulimit -c 0 -n 1024 -d ${memoryMb * 1024} -f ${diskMb * 1024} -t ${cpuSeconds}`;
}

/** For all processes together: the kernel counts them per user and user namespace (since 5.14), and a sandbox has one of its own. */
function countLine({ processes, isCountedByCgroup }: ProgramLimits): string {
  return isCountedByCgroup ? "" : `ulimit -u ${processes}`;
}

/** Longest command that fits in one argument of a program; the kernel's limit is 128 KiB. */
const longestArgument = 100_000;

export interface ProgramScript {
  /** Becomes SLOT.run. */
  readonly run: string;
  /** Becomes SLOT.command, when the command is too long for an argument. */
  readonly command?: string;
}

export function programScript(options: {
  readonly slot: number;
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProgramLimits;
  /** Where standard input comes from: a path in the sandbox. */
  readonly input: string;
}): ProgramScript {
  const { slot, command, cwd, env, limits, input } = options;
  const variables = Object.entries(env).map(([name, value]) => quote(`${name}=${value}`));
  const shell = variables.length === 0 ? "/bin/bash" : `env ${variables.join(" ")} /bin/bash`;
  const isLong = Buffer.byteLength(command) > longestArgument;
  const last = isLong ? `${shell} ${channelFolder}/${slot}.command` : `${shell} -c ${quote(command)}`;
  const run = [
    `exec <${quote(input)}`,
    `cd ${quote(cwd)} || exit`,
    "unset OLDPWD",
    limitLine(limits),
    countLine(limits),
    `exec ${last}`,
  ].join("\n");
  return isLong ? { run, command } : { run };
}

/** For the host's own file operations: a script that this shell runs itself, even when the number of processes is used up. */
export function ownScript(options: {
  readonly script: string;
  readonly limits: ProgramLimits;
  readonly input: string;
}): ProgramScript {
  return { run: `exec <${quote(options.input)}\ncd /work\n${limitLine(options.limits)}\n${options.script}` };
}
