// What --sandbox takes. Apart from what opens them, so that `hone --help` loads none of it.
export const sandboxNames = ["bubblewrap", "docker", "pyodide", "memory-bash", "e2b"] as const;
export type SandboxName = (typeof sandboxNames)[number];
