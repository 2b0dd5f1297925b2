// Who may ask, and what a browser may do with the answer. On loopback the Host header must name this machine (a page elsewhere whose name was pointed
// here must not read runs); anywhere else a token is needed. Nothing is loaded from outside, nothing runs that is not a file of ours.
import { createHash, timingSafeEqual } from "node:crypto";
import { HoneError } from "@hone/core";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const securityHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": policy,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
};

export interface GuardOptions {
  readonly host: string;
  readonly token: string | undefined;
}

const cookieName = "hone_token";

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Refuses to be reachable from elsewhere without a secret. */
export function checkExposure({ host, token }: GuardOptions): void {
  if (isLoopback(host) || (token !== undefined && token.length >= 16)) return;
  throw new HoneError(`${host} can be reached from other machines: that needs a token.`, {
    code: "needs-token",
    hint: "Pass a token of at least 16 characters (`--token`), or leave the host at 127.0.0.1.",
  });
}

export function guard(options: GuardOptions): MiddlewareHandler {
  return async (context, next) => {
    for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
    if (isLoopback(options.host) && !isLoopback(hostName(context))) {
      return context.json({ error: "This server answers to 127.0.0.1 and localhost only." }, 421);
    }
    if (options.token !== undefined) {
      const refused = checkToken(context, options.token);
      if (refused !== undefined) return refused;
    }
    if (context.req.method !== "GET" && context.req.method !== "HEAD" && !isSameOrigin(context)) {
      return context.json({ error: "Only the page itself may ask for this." }, 403);
    }
    await next();
    // Again on what was answered: a response made elsewhere has none of them yet.
    for (const [name, value] of Object.entries(securityHeaders)) context.res.headers.set(name, value);
    return undefined;
  };
}

/** A link with ?token= leaves a cookie and forgets the token in the address; programs send a header. */
function checkToken(context: Context, token: string): Response | undefined {
  const { searchParams, pathname } = new URL(context.req.url);
  const asked = searchParams.get("token");
  if (asked !== null && isEqual(asked, token)) {
    setCookie(context, cookieName, token, { httpOnly: true, sameSite: "Strict", path: "/" });
    searchParams.delete("token");
    return context.redirect(pathname + (searchParams.size > 0 ? `?${searchParams.toString()}` : ""), 303);
  }
  const bearer = /^Bearer (.+)$/.exec(context.req.header("authorization") ?? "")?.[1];
  const given = bearer ?? getCookie(context, cookieName);
  if (given !== undefined && isEqual(given, token)) return undefined;
  return context.json(
    { error: "This page needs its token.", hint: "Open the link that was printed at the start." },
    401,
  );
}

/** Digests are compared, so that neither length nor content shows in the time it takes. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Browsers send Origin with every POST; what sends none is no page. */
function isSameOrigin(context: Context): boolean {
  const origin = context.req.header("origin");
  const site = context.req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  if (origin === undefined) return false;
  try {
    return new URL(origin).host === context.req.header("host");
  } catch {
    return false;
  }
}

function hostName(context: Context): string {
  try {
    return new URL(`http://${context.req.header("host") ?? ""}`).hostname.replaceAll(/[[\]]/g, "");
  } catch {
    return "";
  }
}
