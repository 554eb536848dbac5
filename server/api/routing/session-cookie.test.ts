import { expect, test } from "vitest";
import { buildSessionCookieName, type CookieScope } from "./session-cookie.ts";

const nameOf = (scope: Partial<CookieScope>) =>
  buildSessionCookieName({
    publicUrl: undefined,
    host: "localhost:3000",
    isTls: false,
    basePath: "",
    ...scope,
  });

test("the cookie is named after the public URL, whatever Host an instance receives", () => {
  const publicUrl = "https://locks.example.com";
  for (const host of ["127.0.0.1:3511", "127.0.0.1:3512", "lockkeeper", undefined])
    expect(nameOf({ publicUrl, host, isTls: true })).toBe("__Host-lockkeeper_443");
  expect(nameOf({ publicUrl: "https://tools.example.com:8443/", isTls: true })).toBe(
    "__Host-lockkeeper_8443",
  );
  expect(nameOf({ publicUrl: "http://locks.internal" })).toBe("lockkeeper_80");
});

test("without a public URL, the cookie is named after the port that the browser uses", () => {
  expect(nameOf({})).toBe("lockkeeper_3000");
  expect(nameOf({ host: "localhost:3001" })).toBe("lockkeeper_3001");
  expect(nameOf({ host: "[::1]:3000" })).toBe("lockkeeper_3000");
  expect(nameOf({ host: "[::1]" })).toBe("lockkeeper_80");
  expect(nameOf({ host: "locks.example.com", isTls: true })).toBe("__Host-lockkeeper_443");
  expect(nameOf({ host: undefined })).toBe("lockkeeper_80");
});

test("a console below a base path has a cookie of its own", () => {
  expect(nameOf({ basePath: "/tools/locks", isTls: true, host: "tools.example.com" })).toBe(
    "__Secure-lockkeeper_443.tools.locks",
  );
});

test("no Host puts anything but digits into the name", () => {
  for (const host of ["a:1;Path=/", "a:1\r\nx", "a:123456", "a:", ":", "a:-1", "a: 1"])
    expect(nameOf({ host })).toBe("lockkeeper_80");
});
