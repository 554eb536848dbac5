import { assertAccessibleInThemes } from "./accessibility.ts";
import { expect, test } from "./console.ts";

test("⌘K finds a lock by part of its name, opens it and restores the focus", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("invoices:77");
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner: "me@vm-1", leaseMs: 600_000 });
  await page.goto("/");
  await expect(page.getByTestId("connection")).toContainText("live");
  const search = page.getByRole("combobox", { name: "Search locks" });
  await search.focus();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Search and commands" });
  const box = palette.getByRole("combobox");
  await expect(box).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(palette).toBeHidden();
  await expect(search).toBeFocused();
  await page.keyboard.press("Control+k");
  await box.fill("invoices:77");
  await expect(palette.getByRole("option").first()).toContainText(name);
  await expect(palette.getByRole("option").first()).toContainText("held by me@vm-1");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/locks/${encodeURIComponent(name).replaceAll("%", "%")}`));
  await expect(palette).toBeHidden();
});

test("a complete key opens its lock, even if the keys of many other locks contain it", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("orders:1");
  const acquire = (each: string) =>
    lockkeeper.api(`/locks/${encodeURIComponent(each)}/acquire`, { owner: "me@vm-1", leaseMs: 600_000 });
  // The palette lists eight locks. Earlier holds come first, and then, within the same second, the keys with `!`.
  for (let at = 0; at < 10; at++) {
    await acquire(`${name}${at}`);
    await acquire(`lock:!${at}:${name}`);
  }
  await acquire(name);
  await page.goto("/");
  await expect(page.getByTestId("connection")).toContainText("live");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Search and commands" });
  const box = palette.getByRole("combobox");
  await box.fill(` ${name} `);
  const options = palette.getByRole("option");
  await expect(options.first().getByText(name, { exact: true })).toBeVisible();
  await expect(options.first()).toContainText("held by me@vm-1");
  // The lock, eight others, and the search for the text.
  await expect(options.filter({ hasText: name })).toHaveCount(10);
  await expect(options.filter({ hasText: "not held" })).toHaveCount(0);
  await expect(options.filter({ hasText: "Open lock" })).toHaveCount(0);
  await box.fill(`${name}:free`);
  await expect(options.filter({ hasText: `Open lock ${name}:free` })).toContainText("not held");
  await box.fill(name);
  // Enter opens the best match, even before the entries match the text.
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/locks/${encodeURIComponent(name)}$`));
  await expect(page.getByTestId("state")).toContainText("Held by me@vm-1");
});

test("the palette opens pages, runs page actions and stays closed over an open sheet", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("palette");
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner: "me@vm-1", leaseMs: 600_000 });
  await page.goto(`/?q=${encodeURIComponent(`key:${name}`)}`);
  await expect(page.getByRole("row").filter({ hasText: "me@vm-1" })).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Search and commands" });
  await assertAccessibleInThemes(page, "palette");
  await palette.getByRole("combobox").fill("release lock");
  await page.keyboard.press("Enter");
  const sheet = page.getByRole("dialog").filter({ hasText: name });
  await expect(sheet).toBeVisible();
  // The palette does not open while a sheet is open.
  await page.keyboard.press("Control+k");
  await expect(palette).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
  // The focus returns to the page shortly after the sheet has closed.
  await expect(page.locator("tr:focus, section:focus")).toHaveCount(1);
  await page.keyboard.press("Control+k");
  await palette.getByRole("combobox").fill("owners");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Owners" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await palette.getByRole("combobox").fill("zzz nothing");
  await expect(palette.getByRole("option")).toHaveCount(1);
  await expect(palette.getByRole("option")).toContainText("Search locks for");
});

test("the palette offers the actions of the lock, events and formats pages", async ({
  page,
  lockkeeper,
  key,
}) => {
  const name = key("offers");
  await lockkeeper.api(`/locks/${encodeURIComponent(name)}/acquire`, { owner: "me@vm-1", leaseMs: 600_000 });
  const take = async (command: string) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search and commands" }).getByRole("combobox").fill(command);
    // Until the commands of the page are loaded, the first option is the search for the typed text.
    await expect(page.getByRole("option").first()).toHaveText(new RegExp(`^${command}`));
    await page.keyboard.press("Enter");
  };
  await page.goto(`/locks/${encodeURIComponent(name)}`);
  await expect(page.getByRole("region", { name: "Now" })).toContainText("me@vm-1");
  await take("Note…");
  await expect(page.getByRole("dialog").getByRole("textbox")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Note…" })).toBeFocused();
  await take("Copy…");
  await expect(page.getByRole("menuitem", { name: /^Key/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.goto("/events");
  await expect(page.getByRole("button", { name: "Pause events" })).toBeVisible();
  await take("Pause events");
  await expect(page.getByRole("button", { name: "Resume events" })).toBeVisible();
  await take("Show events until");
  await expect(page.getByLabel("Show events until")).toBeFocused();
  await page.goto("/formats");
  await expect(page.getByRole("heading", { name: "Rules" })).toBeVisible();
  await take("Add rule");
  await expect(page.getByLabel("Key pattern", { exact: true })).toBeFocused();
});
