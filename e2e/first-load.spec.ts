import { gzipSync } from "node:zlib";
import { expect, test } from "./console.ts";

const FIRST_LOAD_BYTES_MAX = 200 * 1024;
const PAGES = [
  "/",
  "/locks/lock:orders:1",
  "/owners",
  "/events",
  "/audit",
  "/targets",
  "/formats",
  "/docs",
  "/settings/you",
  "/settings/keys",
  "/settings/operators",
  "/settings/sessions",
  "/login",
];

test("what a page loads before it can be used stays small, and brings no zod", async ({ lockkeeper }) => {
  const known = new Map<string, Promise<number>>();
  /** As many bytes as it takes on the wire; what several pages load is looked at once. */
  const bytesOf = async (source: string): Promise<number> => {
    const text = await (await fetch(new URL(source, lockkeeper.url))).text();
    expect(text.includes("ZodString"), source).toBe(false);
    return gzipSync(text).length;
  };
  const loads = await Promise.all(
    PAGES.map(async (page) => {
      const html = await (await fetch(`${lockkeeper.url}${page}`)).text();
      const scripts = [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"[^>]*>/g)].filter(
        ([tag]) => !/nomodule/i.test(tag),
      );
      expect(scripts.length, page).toBeGreaterThan(5);
      let bytes = 0;
      for (const [, source = ""] of scripts) {
        const asked = known.get(source) ?? bytesOf(source);
        known.set(source, asked);
        bytes += await asked;
      }
      return { page, bytes };
    }),
  );
  const figures = loads.map(({ page, bytes }) => `${(bytes / 1024).toFixed(1).padStart(7)} KiB  ${page}`);
  console.log(`First load, JavaScript, gzip:\n${figures.join("\n")}`);
  for (const { page, bytes } of loads) expect(bytes, page).toBeLessThan(FIRST_LOAD_BYTES_MAX);
});
