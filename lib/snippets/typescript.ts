import type { SampleRequest } from "@/lib/reference/sample-request.ts";
import { indentLines } from "./indent-lines.ts";

/**
 * Creates a TypeScript program that sends the request with `fetch`. The program runs on Node 20 or newer, Deno or Bun,
 * and has no dependencies.
 */
export function createTypescriptSnippet(request: SampleRequest, origin: string): string {
  const { method, path, needsKey, headers, body, isStream } = request;
  const all = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the string is code.
    ...(needsKey ? ["authorization: `Bearer ${process.env.LOCKKEEPER_API_KEY}`,"] : []),
    ...(body === undefined ? [] : ['"content-type": "application/json",']),
    ...Object.entries(headers).map(
      ([name, value]) => `${toTypescriptName(name)}: ${formatTypescriptValue(value)},`,
    ),
  ];
  const options = [
    ...(method === "GET" ? [] : [`method: ${formatTypescriptValue(method)},`]),
    ...(all.length === 0 ? [] : [`headers: {\n${indentLines(all.join("\n"), 2)}\n},`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${formatTypescriptValue(body)}),`]),
  ];
  const argument = options.length === 0 ? "" : `, {\n${indentLines(options.join("\n"), 2)}\n}`;
  const call = `const response = await fetch(${formatTypescriptValue(origin + path)}${argument});\n`;
  if (!isStream) return `${call}console.log(response.status, await response.text());\n`;
  return `${call}console.log(response.status);
for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
  process.stdout.write(text);
}
`;
}

/** Formats a JSON value as a TypeScript expression. */
export function formatTypescriptValue(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(formatTypescriptValue).join(", ")}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${toTypescriptName(name)}: ${formatTypescriptValue(member)}`,
  );
  const inLine = `{ ${members.join(", ")} }`;
  if (members.length === 0) return "{}";
  return inLine.length <= 72 ? inLine : `{\n${indentLines(members.join(",\n"), 2)},\n}`;
}

function toTypescriptName(name: string): string {
  // As a plain property name, `__proto__` would set the prototype.
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
