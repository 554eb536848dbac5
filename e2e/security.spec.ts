import type { Page } from "@playwright/test";
import { encodeKeyPath } from "../lib/keys/key.ts";
import { type Console, expect, ROOT_KEY, test } from "./console.ts";
import { collectApiStatuses, startEvilSite } from "./evil-site.ts";

/** Strings that would run, or break out of their context, if a page contained them unescaped. */
const PAYLOADS = [
  "<img src=x onerror=window.planted=1>",
  "<script>window.planted=1</script>",
  '"><svg onload=window.planted=1>',
  "'-(window.planted=1)-'",
  "</script><script>window.planted=1</script>",
  "javascript:window.planted=1",
  "{{constructor.constructor('window.planted=1')()}}",
  "\u202e<b>\u0000\u001b[31m\u2028",
];

const PLANTED = /<(img src=x|script>window|svg onload)/i;

interface Planted {
  readonly keys: readonly string[];
}

const printable = (text: string) => [...text].filter((each) => each >= " ").join("");

/** Puts hostile text wherever Redis or a caller can provide text: keys, owners, records, reasons, purposes, events. */
async function plant({ redis, api }: Console, name: (text: string) => string): Promise<Planted> {
  const client = redis.createClient();
  const keys: string[] = [];
  for (const [at, payload] of PAYLOADS.entries()) {
    const owner = printable(payload).slice(0, 200);
    const ours = name(`${at}:${payload}`);
    const theirs = name(`${at}:theirs:${payload}`);
    const token = name(`${at}:token:${payload}`);
    const record = { service: payload, host: payload, purpose: payload, trace: payload };
    await api(`/locks/${encodeKeyPath(ours)}/acquire`, { owner, leaseMs: 600_000, record });
    await client.hset(theirs, `${payload}:1`, "1");
    await client.set(token, payload, "PX", 600_000);
    await client.set(name(`${at}:list`), payload);
    // Reservations and force-releases each store a reason and the operator's name.
    await api(`/locks/${encodeKeyPath(name(`${at}:kept:${payload}`))}/reserve`, {
      reservedMs: 600_000,
      reason: payload.slice(0, 100),
    });
    const noted = await api(`/locks/${encodeKeyPath(ours)}/note`, {
      note: printable(payload),
    });
    expect(noted.status).toBe(200);
    const freed = name(`${at}:freed:${payload}`);
    await api(`/locks/${encodeKeyPath(freed)}/acquire`, { owner, leaseMs: 600_000, record });
    const { body } = await api(`/locks/${encodeKeyPath(freed)}`);
    await api(`/locks/${encodeKeyPath(freed)}/force-release`, {
      expectedVersion: body.version,
      reason: payload,
    });
    // Opens the pages of only a few locks, because all of them consist of the same components.
    if (at % 3 === 0) keys.push(ours, freed);
    if (at === 1) keys.push(theirs, token);
  }
  return { keys };
}

/**
 * Records everything that runs on the page or that the content security policy blocks.
 *
 * @returns the records, to which later ones are added; empty while the page treats everything as text
 */
function watch(page: Page): string[] {
  const ran: string[] = [];
  page.on("dialog", (dialog) => {
    ran.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (/Content Security Policy/i.test(message.text())) ran.push(message.text());
  });
  page.on("pageerror", (error) => ran.push(error.message));
  return ran;
}

async function assertInert(page: Page, where: string): Promise<void> {
  const found = await page.evaluate(() => ({
    hasRun: "planted" in window,
    images: document.querySelectorAll("img[src=x], svg[onload], body script:not([nonce]):not([src])").length,
  }));
  expect(found, where).toEqual({ hasRun: false, images: 0 });
}

test("hostile text in Redis, requests and URLs is rendered as text on every page", async ({
  page,
  lockkeeper,
  key,
}) => {
  const ran = watch(page);
  const { keys } = await plant(lockkeeper, key);
  const hostile = encodeURIComponent(PAYLOADS[0] ?? "");
  const settings = [
    "/settings",
    "/settings/keys",
    "/settings/operators",
    "/settings/sessions",
    "/settings/you",
  ];
  const owners = ["/owners", "/owners?by=service", "/owners?by=host"];
  const pages = [
    "/",
    "/events",
    "/formats",
    "/targets",
    "/audit",
    "/docs",
    "/problems",
    "/problems/held",
    ...owners,
    ...settings,
  ];
  for (const path of [
    ...pages,
    `/?q=${hostile}`,
    `/events?q=${hostile}`,
    `/login?next=javascript:window.planted=1`,
  ]) {
    await page.goto(path);
    await expect(page.getByRole("heading").first()).toBeVisible();
    await assertInert(page, path);
  }
  await page.goto(`/?q=${encodeURIComponent(`key:${key("*")}`)}`);
  await expect(page.getByText("onerror=window.planted").first()).toBeVisible();
  await assertInert(page, "the list");
  for (const each of keys) {
    await page.goto(`/locks/${encodeKeyPath(each)}`);
    await expect(page.getByRole("heading").first()).toBeVisible();
    await assertInert(page, each);
  }
  await page.goto(`/owners?q=${encodeURIComponent(`key:${key("*")}`)}`);
  await expect(page.getByText("window.planted").first()).toBeVisible();
  await assertInert(page, "the owners");
  await page.goto("/audit");
  await expect(page.getByText("window.planted").first()).toBeVisible();
  await assertInert(page, "the audit");
  await page.goto("/events");
  await expect(page.getByText("window.planted").first()).toBeVisible();
  await assertInert(page, "the events");
  expect(ran).toEqual([]);
});

test("hostile text in a URL never reaches the HTML as markup", async ({ lockkeeper, page }) => {
  for (const payload of PAYLOADS) {
    const text = encodeURIComponent(payload).replaceAll("'", "%27");
    for (const path of [
      `/?q=${text}`,
      `/locks/${text}`,
      `/events?q=${text}`,
      `/nowhere/${text}`,
      `/login?next=${text}`,
    ]) {
      const html = await (await page.request.get(`${lockkeeper.url}${path}`)).text();
      expect(PLANTED.test(html), path).toBe(false);
    }
  }
});

test("no page and no script contains a secret", async ({ lockkeeper, page }) => {
  const secrets = [ROOT_KEY, ...(await page.context().cookies()).map(({ value }) => value)];
  expect(secrets).toHaveLength(2);
  const sent: Promise<string>[] = [];
  page.on("response", (response) => {
    const isStream = response.headers()["content-type"]?.includes("event-stream") ?? false;
    if (!isStream) sent.push(response.text().catch(() => ""));
  });
  for (const path of ["/", "/audit", "/settings/you", "/settings/keys", "/settings/sessions", "/docs"]) {
    await page.goto(`${lockkeeper.url}${path}`);
    await expect(page.getByRole("heading").first()).toBeVisible();
  }
  const all = (await Promise.all(sent)).join("\n");
  expect(all.length).toBeGreaterThan(100_000);
  for (const secret of secrets) expect(all).not.toContain(secret);
});

test("an audit export is always downloaded and never displayed", async ({ lockkeeper, page, key }) => {
  await plant(lockkeeper, key);
  for (const format of ["csv", "jsonl"]) {
    const response = await page.request.get(`${lockkeeper.url}/api/v1/audit/export?format=${format}`);
    const headers = response.headers();
    expect([response.status(), headers["x-content-type-options"]], format).toEqual([200, "nosniff"]);
    expect(headers["content-type"], format).not.toContain("html");
    expect(headers["content-disposition"], format).toContain("attachment");
    expect(await response.text()).toContain("window.planted");
  }
});

test("every page forbids framing, sniffing, caching and opener access, and sends its content policy", async ({
  lockkeeper,
  page,
}) => {
  for (const path of ["/", "/login", "/events", "/nowhere", `/locks/${encodeURIComponent("lock:a")}`]) {
    const headers = (await page.request.get(`${lockkeeper.url}${path}`)).headers();
    expect(headers, path).toMatchObject({
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": expect.stringContaining("no-store"),
    });
    const policy = headers["content-security-policy"] ?? "";
    for (const rule of ["frame-ancestors 'none'", "'strict-dynamic'", "object-src 'none'", "base-uri 'none'"])
      expect(policy, path).toContain(rule);
    expect(policy).not.toMatch(/script-src[^;]*'unsafe|report-(uri|to)/);
    expect(headers["x-powered-by"]).toBeUndefined();
    // The header would require TLS, which this host does not support.
    expect(headers["strict-transport-security"]).toBeUndefined();
  }
});

test("another site in the same browser cannot act, read or frame the console with the session", async ({
  browser,
  lockkeeper,
  page,
  key,
}) => {
  const name = key("attacked");
  await lockkeeper.api(`/locks/${encodeKeyPath(name)}/acquire`, { owner: "me", leaseMs: 600_000 });
  const { body } = await lockkeeper.api(`/locks/${encodeKeyPath(name)}`);
  // `localhost` counts as a different site than the address of the console, so the browser restricts what its page
  // sends to the console. The other site is a real server, because Chromium blocks requests to loopback addresses from
  // pages that Playwright fulfills.
  const evil = await startEvilSite();
  const context = await browser.newContext({ storageState: await page.context().storageState() });
  const visitor = await context.newPage();
  const listStatuses = await collectApiStatuses(visitor, lockkeeper.url);
  await visitor.goto(evil.url);
  const seen = await visitor.evaluate(
    async ({ url, path, expectedVersion }) => {
      const text = JSON.stringify({ expectedVersion, reason: "evil" });
      const init = { method: "POST", credentials: "include", body: text } as const;
      const tries = await Promise.allSettled([
        fetch(`${url}${path}`, { ...init, mode: "no-cors", headers: { "content-type": "text/plain" } }),
        fetch(`${url}${path}`, { ...init, headers: { "content-type": "application/json" } }),
        fetch(`${url}/api/v1/locks`, { credentials: "include" }).then((answer) => answer.text()),
      ]);
      const form = document.createElement("form");
      Object.assign(form, {
        method: "POST",
        action: `${url}${path}`,
        enctype: "text/plain",
        target: "frame",
      });
      const frame = document.createElement("iframe");
      frame.name = "frame";
      document.body.append(frame, form);
      // The load event also fires if the response is blocked, because the frame then loads an error page.
      const isAnswered = new Promise((resolve) => frame.addEventListener("load", resolve));
      form.submit();
      await isAnswered;
      const framed = document.createElement("iframe");
      const isLoaded = new Promise((resolve) => framed.addEventListener("load", resolve));
      framed.src = url;
      document.body.append(framed);
      await isLoaded;
      let inside: string;
      try {
        inside = framed.contentDocument?.body.textContent ?? "out of reach";
      } catch {
        inside = "out of reach";
      }
      return { outcomes: tries.map(({ status }) => status), inside };
    },
    {
      url: lockkeeper.url,
      path: `/api/v1/locks/${encodeKeyPath(name)}/force-release`,
      expectedVersion: String(body.version),
    },
  );
  // Every request reached the server and was refused. The preflight request got 405.
  await expect
    .poll(() => listStatuses().filter((status) => !status.endsWith("no response")))
    .toEqual(["GET 403", "OPTIONS 405", "POST 403", "POST 403"]);
  expect(seen.outcomes).toEqual(["rejected", "rejected", "rejected"]);
  expect(seen.inside).toBe("out of reach");
  expect((await lockkeeper.api(`/locks/${encodeKeyPath(name)}`)).body.state).toBe("held");
  await context.close();
  await evil.stop();
});

test("a login redirects only to a page of the console, and its token is in no request URL", async ({
  browser,
  lockkeeper,
}) => {
  for (const next of ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const link = await lockkeeper.link();
    const token = link.split("#")[1] ?? "";
    await page.goto(`${lockkeeper.url}/login?next=${encodeURIComponent(next)}#${token}`);
    await page.waitForURL(`${lockkeeper.url}/`);
    expect(asked.filter((url) => url.includes(token) && !url.includes(`#${token}`))).toEqual([]);
    expect(asked.every((url) => url.startsWith(lockkeeper.url))).toBe(true);
    await context.close();
  }
});
