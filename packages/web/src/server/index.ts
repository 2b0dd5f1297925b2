// What the command line uses of the page: its server, and what to say about the folder it looks at.
export { adviceOn } from "./about-root.ts";
export { createWebServer, type WebServer, type WebServerOptions } from "./create-web-server.ts";
export type { TokenTexts } from "./read-tokens.ts";
