import { gzipSync } from "node:zlib";

/** Paths of all pages that can be opened by URL. */
export const PAGES = [
  "/",
  "/locks/lock:orders:1",
  "/waits",
  "/owners",
  "/events",
  "/audit",
  "/targets",
  "/formats",
  "/docs",
  "/problems",
  "/problems/held",
  "/settings/you",
  "/settings/keys",
  "/settings/operators",
  "/settings/sessions",
  "/login",
] as const;

export interface FirstLoad {
  readonly page: string;
  /** Total size in bytes of the JavaScript files that the page references, each compressed with gzip as in transit. */
  readonly bytes: number;
  readonly scripts: readonly Script[];
}

interface Script {
  readonly source: string;
  readonly text: string;
}

/**
 * Measures the JavaScript that each page loads before it can be used. Excludes `nomodule` files, which only browsers
 * without module support load.
 *
 * @param cookie the session cookie; without a session, console pages show the login form
 */
export async function measureFirstLoads(url: string, cookie: string): Promise<FirstLoad[]> {
  const asked = new Map<string, Promise<string>>();
  const load = async (source: string): Promise<Script> => {
    const text = asked.get(source) ?? fetchText(new URL(source, url), {});
    asked.set(source, text);
    return { source, text: await text };
  };
  return await Promise.all(
    PAGES.map(async (page) => {
      const html = await fetchText(new URL(page, url), { cookie });
      const tags = [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"[^>]*>/g)].filter(
        ([tag]) => !/nomodule/i.test(tag),
      );
      const scripts = await Promise.all(tags.map(([, source = ""]) => load(source)));
      return { page, bytes: scripts.reduce((sum, { text }) => sum + gzipSync(text).length, 0), scripts };
    }),
  );
}

async function fetchText(url: URL, headers: Record<string, string>): Promise<string> {
  return await (await fetch(url, { headers })).text();
}
