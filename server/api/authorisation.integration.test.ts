import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACCESS_OF_ROLE, type Roles } from "../../lib/contract/access.ts";
import type { Home } from "../auth/home.ts";
import { openHome } from "../auth/home-store.ts";
import { makeLink } from "../auth/sessions.ts";
import { ACCESS_TABLE } from "../testing/access-table.ts";
import { declaredRoutes, nameOf } from "../testing/routes.ts";
import { ROOT_KEY, startTestServer, type TestServer, until } from "../testing/server.ts";
import type { Route } from "./route.ts";

const TARGETS = ["ordinary", "frozen", "production", "closed"];
const PEOPLE: Readonly<Record<string, Roles>> = {
  viewer: { "*": "viewer" },
  operator: { "*": "operator" },
  admin: { "*": "admin" },
  "operator of some": { "*": "operator", production: "viewer", closed: "none" },
  "admin of one": { ordinary: "admin" },
  "admin of all but one": { "*": "admin", closed: "operator" },
};
/** They would end the very session that is tried. */
const NOT_TRIED = new Set(["POST /login", "POST /logout"]);

let server: TestServer;
let home: Home;
const credentials = new Map<string, Record<string, string>>();

beforeAll(async () => {
  server = await startTestServer({
    environment: { LOCKKEEPER_LOG: "silent" },
    file: (url) => ({
      targets: [
        { name: "ordinary", redis: `${url}/0` },
        { name: "frozen", redis: `${url}/1`, readOnly: true },
        { name: "production", redis: `${url}/2`, environment: "production" },
        { name: "closed", redis: `${url}/3` },
      ],
    }),
  });
  for (const target of TARGETS)
    await until(async () => (await server.call(`/stats?target=${target}`)).status === 200);
  home = openHome(`${server.redis.url}/0`);
  await until(() => !home.isAway);
  for (const [name, roles] of Object.entries(PEOPLE)) credentials.set(name, await logIn(name, roles));
  credentials.set("the root key", { authorization: `Bearer ${ROOT_KEY}` });
  credentials.set("nobody", {});
  credentials.set("a wrong key", { authorization: `Bearer lk_${"x".repeat(43)}` });
});
afterAll(async () => {
  home?.close();
  await server.stop();
});

async function logIn(name: string, roles: Roles): Promise<Record<string, string>> {
  const token = await makeLink(home, { name: name.replaceAll(" ", "-"), roles });
  const ours = { origin: server.url, "sec-fetch-site": "same-origin" };
  const response = await fetch(`${server.url}/api/v1/login`, {
    method: "POST",
    headers: { ...ours, "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  return { ...ours, cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "" };
}

/** What the table and the roles say, without asking the code that decides. */
function expected(who: string, route: Route, target: string): string {
  const said = ACCESS_TABLE[nameOf(route)] ?? "";
  // Whoever shows a key is told when it is wrong.
  if (who === "a wrong key") return "401 unauthenticated";
  if (said === "anyone") return "let in";
  if (who === "nobody") return "401 unauthenticated";
  // A key has no session.
  if (who === "the root key" && nameOf(route) === "GET /session") return "401 unauthenticated";
  const roles = who === "the root key" ? { "*": "admin" as const } : (PEOPLE[who] ?? {});
  const access = said.split(" ")[0] ?? "";
  const has = (name: string) => {
    const role = roles[name] ?? roles["*"] ?? "none";
    return role !== "none" && ACCESS_OF_ROLE[role].some((each) => each === access);
  };
  const isGranted = said.includes("of anything")
    ? TARGETS.some(has)
    : said.includes("of everything")
      ? [...TARGETS, "one that will be"].every(has)
      : has(target);
  if (!isGranted) return "403 forbidden";
  return said.endsWith("writes") && target === "frozen" ? "403 read_only" : "let in";
}

async function found(who: string, route: Route, target: string): Promise<string> {
  const path = route.path
    .replace("{key}", "lock%3Anobody-has-it")
    .replace("{id}", "no-such-id")
    .replace("{target}", target);
  const query = route.scope === "server" || route.path.includes("{target}") ? "" : `?target=${target}`;
  const end = new AbortController();
  // No handler is reached with such a body; all that is asked before it is.
  const body =
    route.body === undefined
      ? {}
      : { body: "nothing that is read", headers: { "content-type": "text/plain" } };
  const response = await fetch(`${server.url}/api/v1${path}${query}`, {
    method: route.method,
    ...body,
    headers: { ...body.headers, ...credentials.get(who) },
    signal: end.signal,
  });
  const { status } = response;
  if (route.response.stream && status === 200) {
    end.abort();
    return "let in";
  }
  const text = await response.text();
  if (status >= 500) return `${status} ${text}`;
  const code: unknown = status >= 400 ? JSON.parse(text).code : undefined;
  return status === 401 || status === 403 ? `${status} ${code}` : "let in";
}

describe.each([...Object.keys(PEOPLE), "the root key", "nobody", "a wrong key"])("%s", (who) => {
  it.each(TARGETS)(
    "may call what the table of routes says at the target %s, and nothing else",
    async (target) => {
      const wrong: string[] = [];
      for (const route of declaredRoutes().filter((each) => !NOT_TRIED.has(nameOf(each)))) {
        const [is, should] = [await found(who, route, target), expected(who, route, target)];
        if (is !== should) wrong.push(`${nameOf(route)} at ${target}: ${is}, not ${should}`);
      }
      expect(wrong).toEqual([]);
    },
  );
});

it("a target that is closed to somebody is not told to be there, nor is whether one exists", async () => {
  const headers = credentials.get("operator of some") ?? {};
  const listed = await server.call("/targets", { headers: { authorization: "", ...headers } });
  expect(listed.status).toBe(401);
  const response = await fetch(`${server.url}/api/v1/targets`, { headers });
  const { items } = await response.json();
  expect(items.map(({ name }: { name: string }) => name)).toEqual(["ordinary", "frozen", "production"]);
  const only = credentials.get("admin of one") ?? {};
  const codes = await Promise.all(
    ["closed", "never-was"].map(async (target) => {
      const answer = await fetch(`${server.url}/api/v1/locks?target=${target}`, { headers: only });
      return (await answer.json()).code;
    }),
  );
  expect(codes).toEqual(["forbidden", "forbidden"]);
});
