// What the command line uses of the page: its server.
export { createWebServer, type WebServer, type WebServerOptions } from "./create-web-server.ts";
export type { TokenTexts } from "./read-tokens.ts";
