import { expect, test } from "vitest";
import { hideNamed, scrubber, withoutCredentials } from "./secrets.ts";

test("an address is shown without its credentials", () => {
  expect(withoutCredentials("cannot reach https://me:p%40ss@host:80/x and http://you@b")).toBe(
    "cannot reach https://host:80/x and http://b",
  );
  expect(withoutCredentials("mail me@host about http://host/@x")).toBe("mail me@host about http://host/@x");
});

test("keys of the environment are cut out wherever they appear, also encoded", () => {
  const scrub = scrubber({
    MLFLOW_TRACKING_PASSWORD: "p w/d!",
    OPENAI_API_KEY: "sk-long",
    PATH: "/usr/bin",
    A_KEY: "x",
  });
  expect(scrub("p w/d! sk-long p%20w%2Fd! /usr/bin x")).toBe("*** *** *** /usr/bin x");
});

test("of an inline table only the secret members are hidden", () => {
  expect(hideNamed('{ id = "a", token = "t\\"u", "password" = \'p\' }')).toBe(
    '{ id = "a", token = "***", "password" = "***" }',
  );
});
