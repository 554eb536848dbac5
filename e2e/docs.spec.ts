import { expect, test } from "./console.ts";

test("the docs list every operation and copy the snippet in the selected language", async ({
  page,
  lockkeeper,
}) => {
  await page.context().grantPermissions(["clipboard-write"]);
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(lockkeeper.url)) elsewhere.push(request.url());
  });
  await page.goto("/docs#releaseHold");
  const operation = page.getByRole("article", { name: "Release one count of a hold" });
  await expect(operation).toBeInViewport();
  // The page scrolls, and not the frame around it.
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
  // The page itself may not read the clipboard; a person pastes.
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

test("the docs are usable by keyboard alone", async ({ page }) => {
  await page.goto("/docs");
  await expect(
    page.getByRole("heading", { name: "From nothing to a safe lock in five minutes" }),
  ).toBeVisible();
  const java = page.getByRole("button", { name: "Java", exact: true });
  await java.focus();
  await page.keyboard.press("Enter");
  await expect(java).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("region", { name: "A safe lock in Java" })).toContainText(
    "public class SafeLock",
  );
  const errors = page
    .getByRole("article", { name: "Acquire a lock" })
    .locator("summary", { hasText: "Errors" });
  await errors.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("The lock is held.").first()).toBeVisible();
  await page.getByRole("link", { name: "getHold" }).press("Enter");
  await expect(page.getByRole("article", { name: "Read whether a hold is still held" })).toBeInViewport();
});

test("the docs fit a phone screen", async ({ page }) => {
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
