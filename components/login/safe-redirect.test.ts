import { expect, it } from "vitest";
import { sanitizeRedirect } from "./safe-redirect.ts";

const next = (value: string) =>
  sanitizeRedirect({
    origin: "http://127.0.0.1:3000",
    pathname: "/login",
    search: `?next=${encodeURIComponent(value)}`,
  });

it("a next URL outside this site is replaced by the start page", () => {
  expect(sanitizeRedirect({ origin: "http://x", pathname: "/login", search: "" })).toBe("http://x/");
  expect(next("/events?type=expired#a")).toBe("http://127.0.0.1:3000/events?type=expired#a");
  expect(next("/locks/a%2Fb")).toBe("http://127.0.0.1:3000/locks/a%2Fb");
  for (const bad of [
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "javascript:alert(1)",
    "\\\\evil.example",
    "/\n/evil.example",
  ]) {
    expect(next(bad)).toBe("/");
  }
  // The origin is part of the URL, because a URL that starts with two slashes leads to a different origin.
  expect(next("/a/..//evil.example")).toBe("http://127.0.0.1:3000//evil.example");
});

it("a next URL outside the base path is replaced by the start page", () => {
  const below = (value: string) =>
    sanitizeRedirect(
      { origin: "http://x", pathname: "/console/login", search: `?next=${encodeURIComponent(value)}` },
      "/console",
    );
  expect(below("/console/events")).toBe("http://x/console/events");
  for (const bad of ["/", "/other", "/consoles/events", "/console/../other"]) {
    expect(below(bad)).toBe("/console/");
  }
});

it("a form at the address of another page leads to that page, whatever its query says", () => {
  const location = {
    origin: "http://x",
    pathname: "/console/events",
    search: "?type=expired&next=//evil.example",
  };
  expect(sanitizeRedirect(location, "/console")).toBe(
    "http://x/console/events?type=expired&next=//evil.example",
  );
});
