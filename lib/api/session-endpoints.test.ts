import { afterEach, expect, it, vi } from "vitest";
import { checkStreamAccess, getTargets } from "./session-endpoints.ts";

const JSON_TYPE = "application/problem+json";

afterEach(() => vi.unstubAllGlobals());

function stubResponse(status: number, type = JSON_TYPE) {
  const send = vi.fn(async (_url: string, _init: RequestInit) => {
    return new Response(null, { status, headers: { "content-type": type } });
  });
  vi.stubGlobal("fetch", send);
  return send;
}

it.for([
  [200, "text/event-stream", "in"],
  [401, JSON_TYPE, "out"],
  [403, JSON_TYPE, "refused"],
  [404, JSON_TYPE, "refused"],
  [429, JSON_TYPE, "unknown"],
  [503, JSON_TYPE, "unknown"],
  [404, "text/plain", "unreachable"],
  [404, "application/json", "unreachable"],
  [502, "text/html", "unreachable"],
] as const)("the status %i with the type %s means that the access is %s", async ([status, type, access]) => {
  stubResponse(status, type);
  expect(await checkStreamAccess("shop")).toBe(access);
});

it("the access to the stream of a target is checked without opening a stream", async () => {
  const send = stubResponse(200);
  await checkStreamAccess("a b");
  await checkStreamAccess(undefined);
  expect(send.mock.calls.map(([url, { method }]) => [method, url])).toEqual([
    ["HEAD", "/api/v1/live?target=a+b"],
    ["HEAD", "/api/v1/live"],
  ]);
});

it("a server that does not respond is unreachable", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  expect(await checkStreamAccess(undefined)).toBe("unreachable");
});

it("a user who can read no target gets an empty list of targets", async () => {
  stubResponse(403);
  expect(await getTargets()).toEqual({ items: [] });
  stubResponse(500);
  await expect(getTargets()).rejects.toThrow();
});
