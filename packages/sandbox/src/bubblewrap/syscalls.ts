// Numbers of the system calls that the filter (seccomp.ts) knows, for x86_64 and aarch64; undefined where an architecture lacks one.
// They are part of the kernel's interface and never change.

export type Architecture = "x64" | "arm64";
type Numbers = readonly [x64: number, arm64: number | undefined];

/** Reach into other processes. */
const others = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
} as const satisfies Record<string, Numbers>;

/** Change what the sandbox sees, or make a world in which it has more rights. */
const worlds = {
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  open_tree: [428, 428],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
} as const satisfies Record<string, Numbers>;

/** Large parts of the kernel that have had many holes and that no task needs. */
const attackSurface = {
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  fanotify_init: [300, 262],
  modify_ldt: [154, undefined],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  memfd_secret: [447, 447],
  lookup_dcookie: [212, 18],
} as const satisfies Record<string, Numbers>;

/** The machine's own affairs; all of them need rights that a sandbox does not have. */
const machine = {
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  vhangup: [153, 58],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  iopl: [172, undefined],
  ioperm: [173, undefined],
} as const satisfies Record<string, Numbers>;

export const deniedCalls: Readonly<Record<string, Numbers>> = { ...others, ...worlds, ...attackSurface, ...machine };

/** Memory that belongs to no process: without a cgroup nothing would count it. */
export const uncountedMemoryCalls: Readonly<Record<string, Numbers>> = {
  memfd_create: [319, 279],
  shmget: [29, 194],
  msgget: [68, 186],
  semget: [64, 190],
};

/** Judged by their arguments. */
export const judgedCalls = {
  clone: [56, 220],
  clone3: [435, 435],
  ioctl: [16, 29],
  socket: [41, 198],
  personality: [135, 92],
} as const satisfies Record<string, Numbers>;

/** Calls from here on are newer than these lists. */
export const firstUnlistedCall = 457;

export function callNumber(numbers: Numbers, architecture: Architecture): number | undefined {
  return numbers[architecture === "x64" ? 0 : 1];
}
