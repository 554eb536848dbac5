import { randomBytes, randomUUID } from "node:crypto";
import { assertAccessibleInThemes, takeThemeScreenshots } from "./accessibility.ts";
import { expect, test } from "./console.ts";

const pathOf = (key: string) => `/locks/${encodeURIComponent(key)}`;

test("a redis-py lock shows its format and what its holder will notice after a release", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("py");
  // Builds a token like Python's `uuid1().hex`, with version 1, the variant and the current time.
  const ticks = (BigInt(Date.now()) + 12_219_292_800_000n) * 10_000n;
  const hex = ticks.toString(16).padStart(15, "0");
  const token = `${hex.slice(7)}${hex.slice(3, 7)}1${hex.slice(0, 3)}9abc${randomBytes(6).toString("hex")}`;
  await lockkeeper.redis.runCli("SET", name, token, "PX", "600000");
  await page.goto(pathOf(name));
  const now = page.getByRole("region", { name: "Now" });
  await expect(now).toContainText("redis-py");
  await expect(now).toContainText("from the owner string, on the client's clock");
  await expect(now).toContainText("clients that poll are not visible");
  await page.keyboard.press("r");
  const sheet = page.getByRole("dialog");
  await expect(sheet).toContainText("LockNotOwnedError");
  await sheet.getByLabel("Release now").check();
  await sheet.getByLabel("Reason").fill("its worker is gone");
  await sheet.getByRole("button", { name: "Release lock" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
});

test("a possible lock is released only when its format is named", async ({ page, lockkeeper, key }) => {
  const name = key("maybe");
  await lockkeeper.redis.runCli("SET", name, randomUUID());
  await page.goto(pathOf(name));
  await expect(page.getByRole("region", { name: "Now" })).toContainText("possible");
  await page.keyboard.press("r");
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Release now").check();
  await sheet.getByLabel("Reason").fill("nobody knows it");
  await sheet.getByRole("button", { name: "Release lock" }).click();
  await expect(sheet).toContainText("Select the format first.");
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("1");
  await sheet.getByLabel("Token string", { exact: true }).check();
  await sheet.getByRole("button", { name: "Release lock" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
  expect(await lockkeeper.redis.runCli("EXISTS", name)).toBe("0");
});

test("one of two readers is released, and the other keeps the lock", async ({ page, lockkeeper, key }) => {
  const name = key("rw");
  const [one, two] = [`${randomUUID()}:1`, `${randomUUID()}:2`];
  // The leases first, because Redisson writes them with the lock in one script: a reader without one has expired.
  for (const owner of [one, two])
    await lockkeeper.redis.runCli("SET", `{${name}}:${owner}:rwlock_timeout:1`, "1", "PX", "600000");
  await lockkeeper.redis.runCli("HSET", name, "mode", "read", one, "1", two, "1");
  await lockkeeper.redis.runCli("PEXPIRE", name, "600000");
  await page.goto(pathOf(name));
  const releases = page.getByRole("group", { name: "Readers" }).getByRole("button", { name: /^Release / });
  await expect(releases).toHaveCount(2);
  await releases.first().click();
  const sheet = page.getByRole("dialog");
  await expect(sheet).toContainText("1 other reader keeps the lock");
  await sheet.getByLabel("Release now").check();
  await sheet.getByLabel("Reason").fill("its node is gone");
  await sheet.getByRole("button", { name: "Release reader" }).click();
  await expect(sheet.getByTestId("outcome")).toContainText("Released");
  expect(Number(await lockkeeper.redis.runCli("HLEN", name))).toBe(2);
});

test("a job lock cannot be released, and its page explains why and what to do instead", async ({
  page,
  lockkeeper,
  key,
}) => {
  const job = `bull:${key("mail")}:7`;
  await lockkeeper.redis.runCli(
    "HSET",
    job,
    "name",
    "send",
    "data",
    "{}",
    "timestamp",
    "1",
    "processedOn",
    String(Date.now()),
  );
  await lockkeeper.redis.runCli("SET", `${job}:lock`, `${randomUUID()}:3`, "PX", "600000");
  await page.goto(pathOf(`${job}:lock`));
  await expect(page.getByRole("region", { name: "Now" })).toContainText("BullMQ");
  const free = page.getByRole("button", { name: /^Release/ });
  await expect(free).toHaveAttribute("aria-disabled", "true");
  await expect(free).toHaveAttribute("title", /runs it again in parallel/);
});

test("a format rule resolves an ambiguous lock and can be removed", async ({
  page,
  lockkeeper,
  key,
}, info) => {
  const name = key("spring");
  await lockkeeper.redis.runCli("SET", name, randomUUID(), "PX", "600000");
  await page.goto(pathOf(name));
  const now = page.getByRole("region", { name: "Now" });
  await expect(now).toContainText(/ or /);
  await page.goto("/formats");
  await page.getByLabel("Key pattern", { exact: true }).fill(`${name}*`);
  await page.getByLabel("Format", { exact: true }).selectOption({ label: "Spring Integration" });
  await page.getByRole("button", { name: "Preview rule" }).click();
  const preview = page.getByTestId("rule-preview");
  // The preview lists the locks whose format would change before the rule is saved.
  const line = preview.getByRole("listitem").filter({ hasText: name });
  await expect(line).toContainText("1 lock");
  await expect(line).toContainText(/→\s*Spring Integration certain/);
  await assertAccessibleInThemes(page, "preview of a rule");
  await takeThemeScreenshots(page, info, "preview");
  await preview.getByRole("button", { name: "Add rule" }).click();
  await expect(preview).toHaveCount(0);
  const rule = page.getByRole("list", { name: "Rules" }).getByRole("listitem").filter({ hasText: name });
  await expect(rule).toBeVisible();
  await page.goto(pathOf(name));
  await expect(now).toContainText("Spring Integration");
  await expect(now).not.toContainText(/ or /);
  await page.goto("/formats");
  await page.getByRole("button", { name: `Remove the rule for ${name}*` }).click();
  await expect(preview.getByRole("listitem").filter({ hasText: name })).toContainText(
    /Spring Integration certain\s*→/,
  );
  await preview.getByRole("button", { name: "Remove rule" }).click();
  await expect(rule).toHaveCount(0);
});

test("the finder lists unwatched locks and the setting that watches them", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("unseen").replace("lock:", "lease:");
  await lockkeeper.redis.runCli("HSET", name, "8743c9c0-0795-4907-87fd-6c719a6b4586:42", "1");
  await lockkeeper.redis.runCli("PEXPIRE", name, "600000");
  await page.goto("/formats");
  const finder = page.getByTestId("finder");
  await finder.getByRole("button", { name: /^Find locks/ }).click();
  await expect(finder.getByRole("listitem").filter({ hasText: "lease:" })).toContainText("Redisson");
  await expect(finder.getByText(/^LOCKKEEPER_WATCH=/)).toContainText("lease:");
});
