import { randomUUID } from "node:crypto";
import type { BrowserContext, Page } from "@playwright/test";
import type { Roles } from "../lib/contract/access.ts";
import { startTestRedis } from "../test/support/test-redis.ts";
import {
  test as base,
  type Console,
  collectPageErrors,
  expect,
  ROOT_KEY,
  startConsoleOnTargets,
} from "./console.ts";

interface OpenConsole {
  readonly page: Page;
  /** Changes the roles of the operator who is logged in. */
  setRoles(roles: Roles): Promise<void>;
}

/** Tests with a console on the targets "shop" and "staging". Each target has one lock, whose owner is in its name. */
const test = base.extend<{ logInWith: (roles: Roles) => Promise<OpenConsole> }>({
  lockkeeper: [
    async ({ browserName: _ }, use) => {
      const redis = await startTestRedis();
      const running = await startConsoleOnTargets([
        { name: "shop", label: "Shop", redis: redis.url },
        { name: "staging", label: "Staging", redis: `${redis.url}/1` },
      ]);
      for (const target of ["shop", "staging"]) {
        const path = `/locks/lock%3A${target}/acquire?target=${target}`;
        const { status } = await running.api(path, { owner: `worker@${target}-1`, leaseMs: 3_600_000 });
        expect(status).toBe(201);
      }
      await use(running);
      await running.stop();
      await redis.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  logInWith: async ({ browser, lockkeeper }, use) => {
    const contexts: BrowserContext[] = [];
    const errors: string[][] = [];
    await use(async (roles) => {
      const [name, password] = [`user-${randomUUID()}`, "a long password"];
      const made = await lockkeeper.api("/operators", { name, roles, password });
      expect(made.status).toBe(201);
      const context = await browser.newContext({ baseURL: lockkeeper.url });
      contexts.push(context);
      const page = await context.newPage();
      errors.push(collectPageErrors(page));
      await page.goto("/login");
      await page.getByLabel("Name").fill(name);
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Log in" }).click();
      return { page, setRoles: (next) => patchRoles(lockkeeper, name, next) };
    });
    for (const context of contexts) await context.close();
    expect(errors.flat()).toEqual([]);
  },
});

async function patchRoles({ url }: Console, name: string, roles: Roles): Promise<void> {
  const { status } = await fetch(`${url}/api/v1/operators/${name}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${ROOT_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ roles }),
  });
  expect(status).toBe(200);
}

const pill = (page: Page) => page.getByTestId("connection");
const operator = (page: Page) => page.getByTestId("operator");
const rowOf = (page: Page, target: string) => page.getByRole("row").filter({ hasText: `worker@${target}-1` });
const refusal = (page: Page) => page.getByRole("heading", { name: "Cannot open this target" });

test("an operator without access to the first target gets the first readable one after the login", async ({
  logInWith,
}) => {
  const { page } = await logInWith({ "*": "none", staging: "operator" });
  await expect(page).toHaveURL(/\/\?target=staging$/);
  await expect(rowOf(page, "staging")).toBeVisible();
  await expect(pill(page)).toHaveText(/^live/);
  await page
    .getByRole("navigation", { name: "Console" })
    .getByRole("link")
    .filter({ hasText: "Owners" })
    .click();
  await expect(page).toHaveURL(/\/owners\?target=staging$/);
  await page.goto("/events?q=owner:x");
  await expect(page).toHaveURL(/\/events\?q=owner(:|%3A)x&target=staging$/);
});

test("with an unknown target in the URL, the links to the readable targets keep working", async ({
  page,
}) => {
  let checks = 0;
  page.on("request", (request) => {
    if (request.method() === "HEAD") checks++;
  });
  await page.goto("/?target=typo");
  await expect(refusal(page)).toBeVisible();
  await page.evaluate("window.isSameDocument = true");
  // The page checks its access every 5 s. After 15 s without a message, it would report an outage.
  await expect.poll(() => checks, { timeout: 60_000 }).toBeGreaterThan(4);
  await expect(pill(page)).toContainText("not connected");
  await expect(page.getByTestId("condition-banner")).toHaveCount(0);
  await page.getByRole("main").getByRole("link", { name: "Shop" }).click();
  await expect(page).toHaveURL(/\/\?target=shop$/);
  await expect(rowOf(page, "shop")).toBeVisible();
  expect(await page.evaluate("window.isSameDocument")).toBe(true);
});

test("a role change reaches an open console, and a target that is no longer readable leaves no data", async ({
  logInWith,
}) => {
  const { page, setRoles } = await logInWith({ "*": "viewer" });
  await expect(rowOf(page, "shop")).toBeVisible();
  await page.goto("/?target=shop");
  await expect(operator(page)).toContainText("· viewer");
  await setRoles({ "*": "operator" });
  await expect(operator(page)).toContainText("· operator");
  await expect(rowOf(page, "shop")).toBeVisible();
  await setRoles({ "*": "none", staging: "viewer" });
  await expect(refusal(page)).toBeVisible();
  await expect(rowOf(page, "shop")).toHaveCount(0);
  await expect(operator(page)).toHaveCount(0);
  await expect(page.getByRole("main").getByRole("link")).toHaveText(["Staging"]);
  await setRoles({ "*": "viewer" });
  await expect(rowOf(page, "shop")).toBeVisible();
  await setRoles({ "*": "none" });
  await expect(page.getByRole("heading", { name: "No access to any target" })).toBeVisible();
  await page.getByRole("main").getByRole("button", { name: "Log out" }).click();
  await expect(page.getByRole("heading", { name: "You are not logged in" })).toBeVisible();
});
