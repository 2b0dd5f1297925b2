// A model's name to a model: endpoints.toml, then what is built in, then a folder or a run on this machine, then `hone/...`, then `provider/name`, then
// any name on a server given by its URL. Clients and engines are made once per name and closed together; a missing key is told before anything runs.
import { resolve } from "node:path";
import { readEnvFile } from "@hone/config";
import { HoneError, type Model } from "@hone/core";
import { type Script, scriptedModel, type ScriptedReply } from "@hone/core/testing";
import { importModule } from "@hone/env/load";
import { createClient, type Endpoint, loadEndpoints, resolveModel } from "@hone/model";
import type { OpenEngine } from "../engines/open-engine.ts";
import type { OpenedPolicy } from "../engines/open-policy.ts";
import { notLoaded } from "../environment/not-loaded.ts";
import { findLocalModel, type LocalModel } from "./local-model.ts";
import { alwaysRight, mostlyRight } from "./scripted.ts";

export interface ModelOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative to `cwd`. Without it: endpoints.toml, if there is one. */
  readonly endpoints?: string;
  readonly envFiles?: readonly string[];
  /** Another server, for the model under test only: judges keep theirs. */
  readonly baseUrl?: string;
  /** Name of the variable with that server's key. */
  readonly key?: string;
  /** For models on this machine, instead of the engine `cpu`. */
  readonly engine?: OpenEngine;
  readonly onNotice?: (notice: string) => void;
}

export interface FoundModel {
  readonly model: Model;
  /** For people: where the name was found. */
  readonly foundIn: string;
  /** Absent for what is built in. */
  readonly endpoint?: Endpoint;
}

type Client = Model & AsyncDisposable;

/** Every model of one command. */
export class Models implements AsyncDisposable {
  readonly #options: ModelOptions;
  readonly #endpoints: readonly Endpoint[];
  readonly #env: ModelOptions["env"];
  readonly #clients = new Map<string, Client>();
  readonly #policies = new Map<string, OpenedPolicy>();

  private constructor(options: ModelOptions, endpoints: readonly Endpoint[], env: ModelOptions["env"]) {
    this.#options = options;
    this.#endpoints = endpoints;
    this.#env = env;
  }

  static async open(options: ModelOptions): Promise<Models> {
    const { cwd, endpoints, envFiles = [] } = options;
    const files = await Promise.all(envFiles.map((file) => readEnvFile(resolve(cwd, file))));
    const env = Object.assign({}, ...files, options.env) as ModelOptions["env"];
    return new Models(
      options,
      await loadEndpoints({ cwd, ...(endpoints === undefined ? {} : { files: [endpoints] }) }),
      env,
    );
  }

  /** The model under test. */
  async find(name: string): Promise<FoundModel> {
    const { baseUrl, key, cwd } = this.#options;
    if (!this.#isNamed(name) && baseUrl === undefined) {
      const built = await builtIn(name, cwd);
      if (built !== undefined) return { model: built, foundIn: "built in, needs no network" };
      const local = await findLocalModel(name, cwd);
      if (local !== undefined) return this.#open(name, local);
    }
    const endpoint = this.#resolve(name, {
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(key === undefined ? {} : { key }),
    });
    const byName = baseUrl === undefined ? `provider ${name.split("/")[0]}` : "--base-url";
    const foundIn = this.#isNamed(name) ? (this.#options.endpoints ?? "endpoints.toml") : byName;
    return { model: this.#client(endpoint), foundIn, endpoint };
  }

  /** A judge or another helper of the environment, by name. */
  readonly judge = (name: string): Model => this.#client(this.#resolve(name, {}));

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#clients.values(), ...this.#policies.values()];
    await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
  }

  /** On this machine: an engine is loaded when it is first asked for. */
  async #open(name: string, local: LocalModel): Promise<FoundModel> {
    const { openPolicy } = await import("../engines/open-policy.ts");
    const { cwd, engine, onNotice } = this.#options;
    const opened =
      this.#policies.get(name) ??
      (await openPolicy(local, {
        name,
        cwd,
        ...(engine === undefined ? {} : { engine }),
        ...(onNotice === undefined ? {} : { onNotice }),
      }));
    this.#policies.set(name, opened);
    return { model: opened.model, foundIn: opened.foundIn };
  }

  #isNamed(name: string): boolean {
    return this.#endpoints.some((endpoint) => endpoint.name === name);
  }

  #resolve(name: string, server: { readonly baseUrl?: string; readonly key?: string }): Endpoint {
    try {
      return resolveModel(name, { endpoints: this.#endpoints, known: scriptedNames, ...server });
    } catch (error) {
      throw HoneError.is(error) && error.code === "unknown-model" ? unknownModel(name, error) : error;
    }
  }

  #client(endpoint: Endpoint): Client {
    const id = `${endpoint.name} ${endpoint.baseUrl}`;
    const known = this.#clients.get(id);
    if (known !== undefined) return known;
    const client = keyHint(() => createClient(endpoint, { env: this.#env }));
    this.#clients.set(id, client);
    return client;
  }
}

const scriptedNames = ["scripted", "scripted:gold", "scripted:empty"];

async function builtIn(name: string, cwd: string): Promise<Model | undefined> {
  if (name === "scripted") return mostlyRight(name);
  if (name === "scripted:gold") return alwaysRight(name);
  if (name === "scripted:empty") return scriptedModel(() => "", { name });
  if (!/^scripted:.*\.[cm]?[jt]s$/.test(name)) return undefined;
  const path = name.slice("scripted:".length);
  const { default: script } = await importModule(resolve(cwd, path)).catch((error: unknown) => {
    throw HoneError.is(error) ? notLoaded(error) : error;
  });
  const isScript = typeof script === "function" || Array.isArray(script);
  if (isScript) return scriptedModel(script as Script | readonly (string | ScriptedReply)[], { name });
  throw new HoneError(`The default export of ${path} is not a script.`, {
    code: "bad-script",
    hint: 'Export a list of replies, or a function: `export default (request) => "a reply"`.',
  });
}

function unknownModel(name: string, error: HoneError): HoneError {
  const isBare = !name.includes("/") && !/Did you mean/.test(error.message);
  const hint = isBare
    ? `Write provider/name (--model openai/${name}), name its server (--base-url URL), or add it to endpoints.toml. \`hone eval --help\` lists more.`
    : "`hone eval --help` lists where models come from.";
  return new HoneError(error.message, { code: "unknown-model", hint });
}

/** On the command line the file of keys is a flag. */
function keyHint<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!HoneError.is(error) || error.code !== "missing-key") throw error;
    const variable = /variable (\w+)/.exec(error.message)?.[1] ?? "NAME";
    const hint = `Set it (export ${variable}=...), or put it into a file and add --env-file FILE.`;
    throw new HoneError(error.message, { code: error.code, hint });
  }
}
