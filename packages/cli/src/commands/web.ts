// `hone web`: the page about the runs and evaluations under a folder, until Ctrl-C. A busy port moves on to the next, unless it was asked for.
import { resolve } from "node:path";
import { HoneError } from "@hone/core";
import { adviceOn, createWebServer, type WebServer } from "@hone/web/server";
import type { Work } from "../command.ts";
import { exitCodes } from "../io.ts";
import { tokenTextsIn } from "../model/token-texts.ts";

export interface WebFlags {
  readonly root: string | undefined;
  readonly port: number | undefined;
  readonly host: string | undefined;
  readonly token: string | undefined;
  readonly json: boolean;
}

const firstPort = 4663;
const portsTried = 20;

export const web: Work<WebFlags, []> = async ({ io }, { root, port, host, token, json }) => {
  const folder = resolve(io.cwd, root ?? ".");
  const shared = { root: folder, tokenTexts: tokenTextsIn(folder) };
  const options = { ...shared, ...(host === undefined ? {} : { host }), ...(token === undefined ? {} : { token }) };
  const serve = (at: number): Promise<WebServer> => createWebServer({ ...options, port: at });
  const server = await (port === undefined ? onFreePort(serve) : serve(port));
  const advice = await adviceOn(folder);
  const about = `${advice === null ? "" : `${advice}\n`}Runs and evaluations under ${folder}.`;
  io.stdout.write(
    json ? `${JSON.stringify({ url: server.url, root: folder })}\n` : `${server.url}\n\n${about} Ctrl-C ends it.\n`,
  );
  await new Promise<void>((done) => {
    const stopListening = io.onInterrupt(() => {
      stopListening();
      done();
    });
  });
  await server.close();
  return exitCodes.ok;
};

export async function onFreePort(serve: (port: number) => Promise<WebServer>): Promise<WebServer> {
  for (let port = firstPort; ; port++) {
    try {
      return await serve(port);
    } catch (error) {
      const isBusy = HoneError.is(error) && error.code === "listen";
      if (!isBusy || port >= firstPort + portsTried) throw error;
    }
  }
}
