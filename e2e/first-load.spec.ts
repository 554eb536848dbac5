import { expect, test } from "./console.ts";
import { measureFirstLoads } from "./first-load.ts";

const FIRST_LOAD_BYTES_MAX = 195 * 1024;

test("every page loads less than 195 KiB of JavaScript before it is usable, without zod", async ({
  lockkeeper,
  loggedIn,
}) => {
  const { cookies }: { cookies: { name: string; value: string }[] } = JSON.parse(loggedIn);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const loads = await measureFirstLoads(lockkeeper.url, cookie);
  const lines = loads.map(({ page, bytes }) => `${(bytes / 1024).toFixed(1).padStart(7)} KiB  ${page}`);
  console.log(`First load, JavaScript, gzip:\n${lines.join("\n")}`);
  for (const { page, bytes, scripts } of loads) {
    expect(scripts.length, page).toBeGreaterThan(5);
    for (const { source, text } of scripts) expect(text.includes("ZodString"), source).toBe(false);
    expect(bytes, page).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  }
});
