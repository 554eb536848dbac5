import { gzipSync } from "node:zlib";
import { expect, test } from "./console.ts";

const FIRST_LOAD_BYTES_MAX = 200 * 1024;

test("what a page loads before it can be used stays small, and brings no zod", async ({ lockkeeper }) => {
  const html = await (await fetch(`${lockkeeper.url}/`)).text();
  const scripts = [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"[^>]*>/g)].filter(
    ([tag]) => !/nomodule/i.test(tag),
  );
  let bytes = 0;
  for (const [, source = ""] of scripts) {
    const text = await (await fetch(new URL(source, lockkeeper.url))).text();
    bytes += gzipSync(text).length;
    expect(text.includes("ZodString"), source).toBe(false);
  }
  expect(scripts.length).toBeGreaterThan(5);
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX);
});
