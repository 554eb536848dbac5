import { encodeKey, formatKey, isBinaryKey, type Key } from "../../../lib/keys/key.ts";
import { Glob } from "../../redis/glob.ts";
import { KEY_PLACEHOLDER, type Runbook } from "./runbook.ts";

/** The runbooks of a target. The first runbook whose pattern matches a key applies. */
export class Runbooks {
  readonly #runbooks: readonly { glob: Glob; url: string }[];

  constructor(runbooks: readonly Runbook[]) {
    this.#runbooks = runbooks.map(({ pattern, url }) => ({ glob: new Glob(pattern), url }));
  }

  /**
   * Returns the runbook URL for a key. Returns `undefined` if no pattern matches, or if the key is `.` or `..` and
   * would change the path of the URL.
   */
  findUrl(key: Key): string | undefined {
    if (this.#runbooks.length === 0) return undefined;
    const text = formatKey(key);
    const found = this.#runbooks.find(({ glob }) => glob.matches(text));
    // As a path segment, a key such as `.` or `..` would change the path of the URL.
    if (found === undefined || (/^\.{1,2}$/.test(text) && found.url.includes(KEY_PLACEHOLDER)))
      return undefined;
    return found.url.replaceAll(KEY_PLACEHOLDER, () => encodeUrlKey(key));
  }
}

function encodeUrlKey(key: Key): string {
  if (isBinaryKey(key)) {
    return [...encodeKey(key)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
  }
  // `encodeURIComponent` keeps these characters. RFC 3986 also reserves them, and an apostrophe can end a quoted
  // attribute in HTML.
  return encodeURIComponent(key).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
