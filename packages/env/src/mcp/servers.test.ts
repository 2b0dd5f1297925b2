import { HoneError } from "@hone/core";
import { expect, test } from "vitest";
import { MCPEnv } from "./mcp-env.ts";
import { clientPackage, serverPackage, serverStdioPackage } from "./packages.ts";
import { checkServers, redact, secretsOf } from "./servers.ts";
import { commandLine, openTransport } from "./transport.ts";

const program = { command: "server" };

test.each([
  ["no server", { servers: {} }, /No MCP server/],
  ["a name that is none", { servers: { "a b": program } }, /a b is no name/],
  ["an address that is none", { servers: { web: { url: "host/mcp" } } }, /web has no http address/],
  ["a file as address", { servers: { web: { url: "file:///etc/passwd" } } }, /web has no http address/],
  ["an empty command", { servers: { files: { command: "" } } }, /empty command/],
  [
    "a sandboxed server for all",
    { servers: { files: { ...program, inSandbox: true } }, lifecycle: "shared" as const },
    /files cannot be shared/,
  ],
])("%s is told when the environment is made", (_what, options, message) => {
  expect(() => checkServers(options)).toThrow(message);
  const make = () => new MCPEnv({ name: "x", tasks: [{ n: 1 }], prompt: () => "", rewards: {}, ...options });
  expect(make).toThrow(message);
});

test("a server in a sandbox needs an environment that declares one", async () => {
  const opened = openTransport({ ...program, inSandbox: true }, { sandbox: undefined, keepsAlive: true });
  await expect(opened).rejects.toMatchObject({
    code: "mcp-options",
    hint: expect.stringMatching("sandbox: {}") as string,
  });
});

test("a missing package is named with the command that installs it", async () => {
  const missing = () => Promise.reject(new Error("Cannot find package"));
  for (const load of [clientPackage, serverPackage, serverStdioPackage]) {
    const error: unknown = await load(missing).catch((caught: unknown) => caught);
    expect(HoneError.is(error) && [error.code, error.hint]).toEqual([
      "missing-package",
      expect.stringMatching(/^npm install @modelcontextprotocol\/(client|server)@\d/),
    ]);
  }
});

test("variables, headers and parts of an address are hidden in errors, short words are not", () => {
  const text = "refused: sk-secret-1 for user-name with token=tok-abcdef, Bearer key-123456, 1";
  const secrets = [
    ...secretsOf({ command: "x", env: { KEY: "sk-secret-1", DEBUG: "1" } }),
    ...secretsOf({
      url: "https://user-name:pass@h/mcp?token=tok-abcdef",
      headers: { authorization: "Bearer key-123456" },
    }),
  ];
  expect(redact(text, secrets)).toBe("refused: *** for *** with token=***, ***, 1");
});

test("a command line survives the shell", () => {
  expect(commandLine({ command: "node", args: ["a b", "it's", "$HOME"] })).toBe(
    String.raw`exec 'node' 'a b' 'it'\''s' '$HOME'`,
  );
});
