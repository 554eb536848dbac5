import { z } from "zod";

export const RUNBOOKS_MAX = 100;

/** Placeholder in a runbook URL for the percent-encoded key. */
export const KEY_PLACEHOLDER = "{key}";

/** Returns whether the URL has the same origin and user name for all keys, so that a key cannot choose the host. */
function hasFixedOrigin(url: string): boolean {
  const [one, other] = ["a", "b"].map((key) => URL.parse(url.replaceAll(KEY_PLACEHOLDER, key)));
  return one != null && other != null && one.origin === other.origin && one.username === other.username;
}

export const RunbookUrl = z
  .string()
  .regex(/^https?:\/\//i, "must begin with https:// or http://")
  .max(2000, "must have 2000 characters or fewer")
  .refine(
    (url) => URL.canParse(url.replaceAll(KEY_PLACEHOLDER, "a")),
    "must be an address that can be opened",
  )
  .refine(hasFixedOrigin, `may have ${KEY_PLACEHOLDER} in its path, query or fragment, and nowhere before`);

export const Runbook = z
  .strictObject({
    pattern: z.string().min(1, "a pattern has at least one character").max(256).meta({
      description: "Glob that matches keys, in the syntax of Redis.",
    }),
    url: RunbookUrl.meta({
      description: "URL to open. `{key}` is replaced by the percent-encoded key.",
    }),
  })
  .meta({ id: "ConfiguredRunbook", description: "Documentation for locks whose key matches the pattern." });
export type Runbook = z.infer<typeof Runbook>;

/** Schema of a comma-separated list of `PATTERN=URL`, which is parsed into runbooks. */
export const runbooks = z
  .string()
  .default("")
  .transform((text, context): Runbook[] => {
    const parts = text.split(",").map((part) => part.trim());
    const read = parts.flatMap((part) => (part === "" ? [] : [parseRunbook(part)]));
    const fault = read.find((each) => typeof each === "string");
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
    if (read.length > RUNBOOKS_MAX) {
      context.addIssue({ code: "custom", message: `must have ${RUNBOOKS_MAX} runbooks or fewer` });
    }
    return read.filter((each) => typeof each !== "string");
  });

/**
 * Parses `PATTERN=URL`. Returns a runbook or an error message. Patterns may contain `=`, so the URL scheme marks the
 * end of the pattern.
 */
function parseRunbook(part: string): Runbook | string {
  const [, pattern = "", url = ""] = /^(.+?)=(https?:.*)$/is.exec(part) ?? [];
  if (pattern === "") {
    return `must be PATTERN=URL, comma-separated, as in lock:orders:*=https://wiki.example/locks?key={key}, each URL with https:// or http:// and its own commas as %2C; ${JSON.stringify(part)} is not`;
  }
  const read = Runbook.safeParse({ pattern, url });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return `has a runbook for ${JSON.stringify(pattern)} whose ${issue?.path[0] === "url" ? "URL" : "pattern"} ${issue?.message}`;
}
