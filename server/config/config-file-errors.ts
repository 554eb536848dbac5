import type { z } from "zod";

/** Formats the path of a setting, such as `targets[1].redis`. */
export function formatConfigPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}

type Issue = z.core.$ZodIssue;

/**
 * Describes the first error of an invalid configuration file, with the path and the permitted values. Omits the given
 * value, because it may be a secret.
 */
export function describeConfigError(error: z.ZodError, json: unknown): string {
  const issue = error.issues[0];
  if (issue === undefined) return "is not valid";
  return describeIssue(issue, [], json);
}

function describeIssue(issue: Issue, above: readonly PropertyKey[], json: unknown): string {
  const path = [...above, ...issue.path];
  if (issue.code === "invalid_union") return describeUnionIssue(issue, path, json);
  if (issue.code === "unrecognized_keys")
    return `${formatPathPrefix(path)}${describeUnknownMembers(issue.keys)}`;
  const value = getValueAt(json, path);
  if (value === undefined && issue.code === "invalid_type") return `${formatPathPrefix(path)}is missing`;
  return `${formatPathPrefix(path)}${formatRequirement(issue)}`;
}

/** Describes the error of the union variant that the value was probably meant to be. */
function describeUnionIssue(
  issue: Extract<Issue, { code: "invalid_union" }>,
  path: PropertyKey[],
  json: unknown,
) {
  const value = getValueAt(json, path);
  if (value === undefined) return `${formatPathPrefix(path)}is missing; it ${issue.message}`;
  const members = ["sentinel", "cluster", "quorum"];
  const named = members.findIndex((member) => hasMember(value, member));
  const at = typeof value === "string" ? 0 : named < 0 ? -1 : named + 1;
  const [inner] = issue.errors[at] ?? [];
  return inner === undefined
    ? `${formatPathPrefix(path)}it ${issue.message}`
    : describeIssue(inner, path, json);
}

function formatRequirement(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPE_NOUNS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_big":
      return issue.message.startsWith("Too big")
        ? formatBound(issue, issue.maximum, "at most")
        : issue.message;
    case "too_small":
      return issue.message.startsWith("Too small")
        ? formatBound(issue, issue.minimum, "at least")
        : issue.message;
    default:
      return issue.message;
  }
}

function formatBound({ origin }: { origin: string }, limit: number | bigint, how: string): string {
  return `must ${["number", "int"].includes(origin) ? "be" : "have"} ${how} ${limit}`;
}

const TYPE_NOUNS: Partial<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
};

function describeUnknownMembers(keys: readonly string[]): string {
  const names = keys.map((key) => JSON.stringify(key.slice(0, 40))).join(", ");
  return `there is no setting ${names}; docs/lockkeeper.config.schema.json lists the settings`;
}

function formatPathPrefix(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "" : `${formatConfigPath(path)}: `;
}

function hasMember(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && name in value;
}

function getValueAt(json: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined,
    json,
  );
}

/**
 * Formats the position of a JSON error, such as ` (line 3, column 5)`. Returns an empty string if the position cannot
 * be determined from the message of the JavaScript engine.
 */
export function formatJsonPosition(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const at = findErrorPosition(text, message);
  if (at === undefined) return "";
  const before = text.slice(0, at).split("\n");
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}

function findErrorPosition(text: string, message: string): number | undefined {
  if (message.startsWith("Unexpected end")) return text.length;
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  // Newer JavaScript engines quote ten characters before and after the position instead.
  const quoted = /, (\.\.\.)?"([\s\S]*)"(?:\.\.\.)? is not valid JSON$/.exec(message);
  const found = quoted?.[2] === undefined ? -1 : text.indexOf(quoted[2]);
  if (found < 0) return undefined;
  return quoted?.[1] === undefined ? undefined : found + 10;
}
