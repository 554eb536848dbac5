import { encodeKey, formatKey, isBinaryKey, type Key } from "../../../lib/keys/key.ts";
import { Glob } from "../../redis/glob.ts";
import { KEY_PLACEHOLDER, type Runbook } from "./runbook.ts";

/** What to read about a lock; the first pattern that fits a key counts. */
export class Runbooks {
  readonly #runbooks: readonly { glob: Glob; url: string }[];

  constructor(runbooks: readonly Runbook[]) {
    this.#runbooks = runbooks.map(({ pattern, url }) => ({ glob: new Glob(pattern), url }));
  }

  /** An address to open; undefined: none is known. */
  findUrl(key: Key): string | undefined {
    if (this.#runbooks.length === 0) return undefined;
    const text = formatKey(key);
    const found = this.#runbooks.find(({ glob }) => glob.matches(text));
    // A key of dots would climb out of the place that it is put into.
    if (found === undefined || (/^\.{1,2}$/.test(text) && found.url.includes(KEY_PLACEHOLDER)))
      return undefined;
    return found.url.replaceAll(KEY_PLACEHOLDER, () => encodeUrlKey(key));
  }
}

function encodeUrlKey(key: Key): string {
  if (isBinaryKey(key)) {
    return [...encodeKey(key)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
  }
  // The rest of what RFC 3986 sets apart: an apostrophe ends a text in somebody's page.
  return encodeURIComponent(key).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
