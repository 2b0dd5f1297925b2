// Test helper: an MLflow server as its REST documentation describes one, as far as sinks use it. A body that MLflow would not take is answered with 400,
// and a metric that is sent again with the same time, step and value is kept once, as MLflow's database does.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";

const key = z
  .string()
  .max(250)
  .regex(/^(?!.*(?:^|\/)(?:\.{0,2})(?:\/|$))[\w\-. :/]+$/);
const Metric = z.strictObject({
  key,
  value: z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]),
  timestamp: z.int(),
  step: z.int(),
});
const Param = z.strictObject({ key, value: z.string().max(6000) });
const Tag = z.strictObject({ key: z.string(), value: z.string() });
const bodies = {
  "experiments/create": z.strictObject({ name: z.string() }),
  "runs/create": z.strictObject({
    experiment_id: z.string(),
    run_name: z.string(),
    start_time: z.int(),
    tags: z.array(Tag),
  }),
  "runs/search": z.strictObject({
    experiment_ids: z.array(z.string()),
    filter: z.string().regex(/^tags\.`hone\.run` = '\w+'$/),
    max_results: z.int(),
  }),
  "runs/log-batch": z.strictObject({
    run_id: z.string(),
    metrics: z.array(Metric).max(1000).exactOptional(),
    params: z.array(Param).max(100).exactOptional(),
  }),
  "runs/update": z.strictObject({
    run_id: z.string(),
    status: z.enum(["RUNNING", "FINISHED", "FAILED", "KILLED"]),
    end_time: z.int().exactOptional(),
  }),
};

type Metric = z.output<typeof Metric>;
interface StoredRun {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
  status: string;
  readonly params: Record<string, string>;
  readonly metrics: Metric[];
  readonly known: Set<string>;
}
interface Reply {
  readonly status: number;
  readonly body: object;
}

export class MlflowServer implements AsyncDisposable {
  readonly runs: StoredRun[] = [];
  readonly experiments: string[] = [];
  readonly requests: { readonly path: string; readonly authorization: string | undefined }[] = [];
  /** Looked at before a request is served: a status other than 200 is its answer. "lost": it is served, and the answer never arrives. */
  trouble: (path: string) => number | "lost" = () => 200;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#serve(request).then((reply) => {
        if (reply === "lost") return response.destroy();
        response.writeHead(reply.status, { "content-type": "application/json" });
        return response.end(JSON.stringify(reply.body));
      });
    });
  }

  static async start(port = 0): Promise<MlflowServer> {
    const server = new MlflowServer();
    await new Promise<void>((resolve) => server.#server.listen(port, "127.0.0.1", resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get uri(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Steps of a metric in the order they arrived, of all runs. */
  steps(name: string): readonly number[] {
    return this.runs.flatMap(({ metrics }) => metrics.filter((metric) => metric.key === name).map(({ step }) => step));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage): Promise<Reply | "lost"> {
    const url = new URL(request.url ?? "", this.uri);
    const path = url.pathname.replace("/api/2.0/mlflow/", "");
    this.requests.push({ path, authorization: request.headers.authorization });
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece as string;
    const trouble = this.trouble(path);
    if (typeof trouble === "number" && trouble !== 200) return failure(trouble, "SOME_ERROR");
    const reply = path === "experiments/get-by-name" ? this.#byName(url) : this.#post(path, JSON.parse(text));
    return trouble === "lost" ? "lost" : reply;
  }

  #byName(url: URL): Reply {
    const index = this.experiments.indexOf(url.searchParams.get("experiment_name") ?? "");
    if (index < 0) return failure(404, "RESOURCE_DOES_NOT_EXIST");
    return { status: 200, body: { experiment: { experiment_id: String(index), lifecycle_stage: "active" } } };
  }

  #post(path: string, json: unknown): Reply {
    const schema = bodies[path as keyof typeof bodies];
    const result = schema?.safeParse(json);
    if (result === undefined) return failure(404, "ENDPOINT_NOT_FOUND");
    if (!result.success) return failure(400, "INVALID_PARAMETER_VALUE", result.error.message);
    if (this.#changesParam(result.data as never)) return failure(400, "INVALID_PARAMETER_VALUE", "changed param");
    return { status: 200, body: this.#apply(path as keyof typeof bodies, result.data as never) };
  }

  /** Parameters are written once. */
  #changesParam({ run_id, params = [] }: z.output<(typeof bodies)["runs/log-batch"]>): boolean {
    const known = this.runs.find(({ id }) => id === run_id)?.params ?? {};
    return params.some((param) => (known[param.key] ?? param.value) !== param.value);
  }

  #apply(path: keyof typeof bodies, body: Record<string, never>): object {
    const run = this.runs.find(({ id }) => id === body["run_id"]);
    switch (path) {
      case "experiments/create":
        return { experiment_id: String(this.experiments.push(body["name"] ?? "") - 1) };
      case "runs/create": {
        const { run_name: name, tags } = body as unknown as z.output<(typeof bodies)["runs/create"]>;
        const id = `run-${this.runs.length}`;
        const made = {
          id,
          name,
          tag: tags[0]?.value ?? "",
          status: "RUNNING",
          params: {},
          metrics: [],
          known: new Set<string>(),
        };
        this.runs.push(made);
        return { run: { info: { run_id: id, status: "RUNNING" }, data: {} } };
      }
      case "runs/search": {
        const tag = /'(\w+)'/.exec(body["filter"] ?? "")?.[1];
        const found = this.runs.filter((one) => one.tag === tag);
        return found.length === 0 ? {} : { runs: found.map(({ id }) => ({ info: { run_id: id } })) };
      }
      case "runs/log-batch":
        for (const metric of (body["metrics"] ?? []) as Metric[]) if (run !== undefined) keep(run, metric);
        for (const param of (body["params"] ?? []) as { key: string; value: string }[]) {
          if (run !== undefined) run.params[param.key] = param.value;
        }
        return {};
      case "runs/update":
        if (run !== undefined) run.status = body["status"] ?? "";
        return { run_info: {} };
    }
  }
}

function keep({ metrics, known }: StoredRun, metric: Metric): void {
  const key = JSON.stringify(metric);
  if (!known.has(key)) metrics.push(metric);
  known.add(key);
}

function failure(status: number, code: string, message = "no"): Reply {
  return { status, body: { error_code: code, message } };
}
