import { describe, expect } from "vitest";
import { ACCESS_OF_ROLE, type Roles } from "../../../lib/contract/access.ts";
import { LiveHello } from "../../../lib/contract/live.ts";
import { ACCESS_TABLE } from "../../../test/support/access-table.ts";
import { formatRouteName, listDeclaredRoutes } from "../../../test/support/declared-routes.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createHoldId } from "../../../test/support/hold-ids.ts";
import {
  createLoginToken,
  createSameOriginHeaders,
  TestBrowser,
} from "../../../test/support/test-browser.ts";
import {
  createBearerHeader,
  ROOT_KEY,
  type TestServer,
  waitUntil,
} from "../../../test/support/test-server.ts";
import type { Route } from "./route.ts";

const TARGETS = ["ordinary", "frozen", "production", "closed"];
const ROLES_BY_OPERATOR: Readonly<Record<string, Roles>> = {
  viewer: { "*": "viewer" },
  operator: { "*": "operator" },
  admin: { "*": "admin" },
  "operator of some": { "*": "operator", production: "viewer", closed: "none" },
  "admin of one": { ordinary: "admin" },
  "admin of all but one": { "*": "admin", closed: "operator" },
};
/** Routes that are not called, because they would end the session that the test uses. */
const SKIPPED_ROUTES = new Set(["POST /login", "POST /logout"]);

type Headers = Record<string, string>;

const it = serverTest({
  environment: { LOCKKEEPER_LOG: "silent" },
  file: (url) => ({
    targets: [
      { name: "ordinary", redis: `${url}/0` },
      { name: "frozen", redis: `${url}/1`, readOnly: true },
      { name: "production", redis: `${url}/2`, environment: "production" },
      { name: "closed", redis: `${url}/3` },
    ],
  }),
}).extend("credentials", { scope: "file" }, async ({ server }) => {
  for (const target of TARGETS)
    await waitUntil(async () => (await server.call(`/stats?target=${target}`)).status === 200);
  const credentials = new Map<string, Headers>();
  for (const [name, roles] of Object.entries(ROLES_BY_OPERATOR))
    credentials.set(name, await logIn(server, name, roles));
  credentials.set("the root key", createBearerHeader(ROOT_KEY));
  credentials.set("nobody", {});
  credentials.set("a wrong key", createBearerHeader(`lk_${"x".repeat(43)}`));
  return credentials;
});

async function logIn(server: TestServer, name: string, roles: Roles): Promise<Headers> {
  const browser = new TestBrowser(server);
  await browser.logIn({ token: await createLoginToken(server, name.replaceAll(" ", "-"), roles) });
  return { ...createSameOriginHeaders(server.url), cookie: browser.cookie ?? "" };
}

/** Returns the outcome that follows from the access table and the roles. Does not use the code under test. */
function getExpectedOutcome(who: string, route: Route, target: string): string {
  const said = ACCESS_TABLE[formatRouteName(route)] ?? "";
  // A wrong key is refused even on routes that require no credentials.
  if (who === "a wrong key") return "401 unauthenticated";
  if (said === "anyone") return "let in";
  if (who === "nobody") return "401 unauthenticated";
  // An API key has no session to return.
  if (who === "the root key" && formatRouteName(route) === "GET /session") return "401 unauthenticated";
  const roles = who === "the root key" ? { "*": "admin" as const } : (ROLES_BY_OPERATOR[who] ?? {});
  const access = said.split(" ")[0] ?? "";
  const has = (name: string) => {
    const role = roles[name] ?? roles["*"] ?? "none";
    return role !== "none" && ACCESS_OF_ROLE[role].some((each) => each === access);
  };
  const isGranted =
    said.includes("of anything") || said.includes("anywhere")
      ? TARGETS.some(has)
      : said.includes("of everything")
        ? [...TARGETS, "one that will be"].every(has)
        : has(target);
  if (!isGranted) return "403 forbidden";
  return said.endsWith("writes") && target === "frozen" ? "403 read_only" : "let in";
}

async function callRoute(
  server: TestServer,
  credentials: Headers,
  route: Route,
  target: string,
): Promise<string> {
  const path = route.path
    .replace("{key}", "lock%3Anobody-has-it")
    .replace("{id}", "no-such-id")
    .replace("{holdId}", createHoldId({ target, key: "lock:nobody-has-it" }))
    .replace("{target}", target);
  const isNamed = route.path.includes("{target}") || route.path.includes("{holdId}");
  const query = route.scope === "server" || isNamed ? "" : `?target=${target}`;
  const end = new AbortController();
  // A body with this content type is rejected after authorization and before the handler runs.
  const body =
    route.body === undefined
      ? {}
      : { body: "nothing that is read", headers: { "content-type": "text/plain" } };
  const response = await fetch(`${server.url}/api/v1${path}${query}`, {
    method: route.method,
    ...body,
    headers: { ...body.headers, ...credentials },
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

describe.each([...Object.keys(ROLES_BY_OPERATOR), "the root key", "nobody", "a wrong key"])(
  "access of %s",
  (who) => {
    it.for(TARGETS)(
      "each principal gets exactly the access in the route table at the target %s",
      async (target, { server, credentials }) => {
        const wrong: string[] = [];
        for (const route of listDeclaredRoutes().filter(
          (each) => !SKIPPED_ROUTES.has(formatRouteName(each)),
        )) {
          const [is, should] = [
            await callRoute(server, credentials.get(who) ?? {}, route, target),
            getExpectedOutcome(who, route, target),
          ];
          if (is !== should) wrong.push(`${formatRouteName(route)} at ${target}: ${is}, not ${should}`);
        }
        expect(wrong).toEqual([]);
      },
    );
  },
);

it.for(Object.keys(ROLES_BY_OPERATOR))(
  "the page of %s offers server-wide settings exactly when the API grants access to them",
  async (who, { server, credentials }) => {
    const headers = credentials.get(who) ?? {};
    const live = await server.callAnonymously("/live?mode=poll&target=ordinary", { headers });
    const hello = LiveHello.parse(JSON.parse(/^event: hello\ndata: (.*)$/m.exec(live.body)?.[1] ?? ""));
    const answers = await Promise.all(
      ["/audit", "/operators", "/keys"].map((path) => server.callAnonymously(path, { headers })),
    );
    const isAdmin = hello.operator.mayEverywhere.includes("admin");
    expect(answers.map(({ status }) => status === 200)).toEqual([isAdmin, isAdmin, isAdmin]);
    expect(isAdmin).toBe(who === "admin");
  },
);

it("a target closed to a user is not listed, and its existence is not revealed", async ({
  server,
  credentials,
}) => {
  const headers = credentials.get("operator of some") ?? {};
  const listed = await server.call("/targets", { headers: { authorization: "", ...headers } });
  expect(listed.status).toBe(401);
  const { items } = (await server.callAnonymously("/targets", { headers })).body;
  expect(items.map(({ name }: { name: string }) => name)).toEqual(["ordinary", "frozen", "production"]);
  const only = credentials.get("admin of one") ?? {};
  const codes = await Promise.all(
    ["closed", "never-was"].map(async (target) => {
      return (await server.callAnonymously(`/locks?target=${target}`, { headers: only })).body.code;
    }),
  );
  expect(codes).toEqual(["forbidden", "forbidden"]);
});

describe("hold of another principal", () => {
  it("only the API key that acquired a hold can read, renew, release or re-enter it", async ({
    server,
    credentials,
  }) => {
    const createKey = async (name: string) =>
      (await server.call("/keys", { body: { name, verbs: ["read", "lock"] } })).body;
    const { id, secret } = await createKey("checkout");
    const others = [
      createBearerHeader((await createKey("billing")).secret),
      createBearerHeader(ROOT_KEY),
      credentials.get("admin") ?? {},
    ];
    const idempotent = { "idempotency-key": "a" };
    const hold = await server.acquire("lock:owned", {}, { ...createBearerHeader(secret), ...idempotent });
    const path = `/holds/${hold.holdId}`;
    for (const headers of others) {
      const acquire = { body: {}, headers: { ...headers, ...idempotent } };
      expect((await server.callAnonymously("/locks/lock%3Aowned/acquire", acquire)).body.code).toBe("held");
      const reenter = { body: { reenter: hold.holdId }, headers: { ...headers, "idempotency-key": "b" } };
      for (const refused of [
        await server.callAnonymously(path, { headers }),
        await server.callAnonymously(`${path}/renew`, { headers, body: {} }),
        await server.callAnonymously(`${path}/release`, { headers, body: {} }),
        await server.callAnonymously("/locks/lock%3Aowned/acquire", reenter),
      ]) {
        expect([refused.status, refused.body.code]).toEqual([403, "not_owner"]);
        expect(refused.body.detail).toMatch(/API key that acquired it.*force-release/);
        expect(JSON.stringify(refused.body)).not.toMatch(new RegExp(`root|checkout|${id}`));
      }
    }
    const rotated = await server.call(`/keys/${id}/rotate`, { body: {} });
    const mine = createBearerHeader(rotated.body.secret);
    expect((await server.callHold(hold, "renew", {}, mine)).body.count).toBe(1);
    expect((await server.callHold(hold, "release", {}, mine)).body.outcome).toBe("released");
    const theirs = await server.acquire("lock:owned", {}, others[0]);
    expect((await server.callHold(theirs, "release", {}, mine)).body.code).toBe("not_owner");
    expect((await server.callHold(hold, "renew", {}, mine)).body.code).toBe("lost");
  });
});
