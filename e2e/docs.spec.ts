import { readFile } from "node:fs/promises";
import { LANGUAGE_LABELS, SNIPPET_LANGUAGES } from "../lib/snippets/language.ts";
import { createEnvironmentCommands, SAMPLE_FILES } from "../lib/snippets/sample-files.ts";
import { expect } from "./console.ts";
import { test } from "./visitor.ts";

test("the docs open without a login, list every operation and copy the snippet", async ({
  visitor: page,
  lockkeeper,
}) => {
  await page.context().grantPermissions(["clipboard-write"]);
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(lockkeeper.url)) elsewhere.push(request.url());
  });
  await page.goto("/docs#releaseHold");
  const operation = page.locator("article#releaseHold");
  await expect(operation).toBeInViewport();
  // The document scrolls inside the console, so the header stays in the viewport.
  await expect(page.getByRole("banner")).toBeInViewport();
  const { body } = await lockkeeper.api("/openapi.json");
  const paths = Object.values((body as { paths: Record<string, object> }).paths);
  const operations = paths.flatMap((item) => Object.keys(item)).length;
  await expect(page.getByRole("article")).toHaveCount(operations);

  await page.getByRole("button", { name: "Python", exact: true }).click();
  // "Copied" is shown for 1.5 s only, so the wait for it starts before the click.
  const copiedNote = operation.getByText("Copied").first().waitFor({ state: "attached" });
  await operation.getByRole("button", { name: "Copy: releaseHold in Python" }).click();
  await copiedNote;
  // The page may not read the clipboard, so the test pastes the clipboard into a text area.
  await page.evaluate(() => document.querySelector("main")?.append(document.createElement("textarea")));
  const pasted = page.locator("textarea");
  await pasted.focus();
  await page.keyboard.press("Control+V");
  await expect(pasted).not.toHaveValue("");
  const copied = await pasted.inputValue();
  expect(copied).toContain(`"${lockkeeper.url}/api/v1/holds/h1.`);
  expect(copied).toContain("urlopen");
  expect(elsewhere).toEqual([]);
});

test("the docs show the sample files of every language as they can be downloaded", async ({
  visitor: page,
  lockkeeper,
}) => {
  await page.goto("/docs");
  const environment = page.getByRole("region", { name: "Environment variables" });
  expect(await environment.textContent()).toBe(createEnvironmentCommands(lockkeeper.url));
  for (const language of SNIPPET_LANGUAGES) {
    await page.getByRole("button", { name: LANGUAGE_LABELS[language], exact: true }).click();
    const { lock, events } = SAMPLE_FILES[language];
    const regions = [`Safe locking in ${LANGUAGE_LABELS[language]}`, "Program that listens to events"];
    for (const [at, { name, command }] of [lock, events].entries()) {
      const text = await readFile(`public/samples/${name}`, "utf8");
      expect(await page.getByRole("region", { name: regions[at] }).textContent()).toBe(text);
      const run = page.getByRole("region", { name: `Download and run ${name}` });
      expect(await run.textContent()).toBe(`curl -O ${lockkeeper.url}/samples/${name}\n${command}\n`);
      const download = await fetch(`${lockkeeper.url}/samples/${name}`);
      expect([name, download.status, await download.text()]).toEqual([name, 200, text]);
    }
  }
});

test("the docs are usable by keyboard alone", async ({ visitor: page }) => {
  await page.goto("/docs");
  await expect(page.getByRole("heading", { name: "Quick start: a safe lock" })).toBeVisible();
  const java = page.getByRole("button", { name: "Java", exact: true });
  await expect(page.getByRole("article").first()).toBeVisible();
  await java.focus();
  await page.keyboard.press("Enter");
  await expect(java).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("region", { name: "Safe locking in Java" })).toContainText("class SafeLock");
  const errors = page.locator("article#acquireLock").locator("summary", { hasText: "Errors" });
  await errors.focus();
  await page.keyboard.press("Enter");
  await expect(page.locator("article#acquireLock").getByText("The lock is held.").first()).toBeVisible();
  await page.getByRole("link", { name: "GET /holds/{holdId}", exact: true }).press("Enter");
  await expect(page.locator("article#getHold")).toBeInViewport();
});

test("the console links to the docs, and the docs link back", async ({ page }) => {
  await page.goto("/owners");
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Docs" }).click();
  await expect(page.getByRole("heading", { name: "Quick start: a safe lock" })).toBeVisible();
  await page.getByRole("link", { name: "Open console" }).click();
  await expect(page.getByRole("navigation", { name: "Console" })).toBeVisible();
});

test("the docs fit a phone screen", async ({ visitor: page }) => {
  await page.goto("/docs");
  await expect(page.getByRole("article").first()).toBeVisible();
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  await page.setViewportSize({ width: 375, height: 740 });
  const overflow = () =>
    page.evaluate(() => {
      const main = document.querySelector("main > div");
      return main === null ? -1 : main.scrollWidth - main.clientWidth;
    });
  await expect.poll(overflow).toBe(0);
});
