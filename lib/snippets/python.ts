import type { SampleRequest } from "@/lib/reference/sample-request.ts";
import { indentLines } from "./indent-lines.ts";

/**
 * Creates a Python program that sends the request. The program requires Python 3.8 or newer and uses only the standard
 * library.
 */
export function createPythonSnippet(request: SampleRequest, origin: string): string {
  const { method, path, needsKey, headers, body, isStream } = request;
  const all = [
    ...(needsKey ? ['"Authorization": f"Bearer {os.environ[\'LOCKKEEPER_API_KEY\']}",'] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json",']),
    ...Object.entries(headers).map(
      ([name, value]) => `${formatPythonValue(name)}: ${formatPythonValue(value)},`,
    ),
  ];
  const given = [
    `${formatPythonValue(origin + path)},`,
    `method=${formatPythonValue(method)},`,
    ...(all.length === 0 ? [] : [`headers={\n${indentLines(all.join("\n"), 4)}\n},`]),
    ...(body === undefined ? [] : [`data=json.dumps(${formatPythonValue(body)}).encode(),`]),
  ];
  const imports = [...(body === undefined ? [] : ["import json"]), ...(needsKey ? ["import os"] : [])];
  const read = isStream
    ? 'print(response.status)\n        for line in response:\n            print(line.decode(), end="", flush=True)'
    : "print(response.status, response.read().decode())";
  return `${[...imports, "from urllib.error import HTTPError", "from urllib.request import Request, urlopen"].join("\n")}

request = Request(
${indentLines(given.join("\n"), 4)}
)
try:
    with urlopen(request) as response:
        ${read}
except HTTPError as problem:
    print(problem.code, problem.read().decode())
`;
}

/** Formats a JSON value as a Python expression. */
export function formatPythonValue(value: unknown): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  // Python has the same escapes as JSON. Non-ASCII characters are escaped, because Python can treat some of them as
  // line breaks.
  if (typeof value !== "object") return escapeNonAscii(JSON.stringify(value));
  if (Array.isArray(value)) return `[${value.map(formatPythonValue).join(", ")}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${formatPythonValue(name)}: ${formatPythonValue(member)}`,
  );
  const inLine = `{${members.join(", ")}}`;
  return inLine.length <= 72 ? inLine : `{\n${indentLines(members.join(",\n"), 4)},\n}`;
}

function escapeNonAscii(text: string): string {
  return Array.from(text, (character) => {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0x7f) return character;
    return point > 0xffff
      ? `\\U${point.toString(16).padStart(8, "0")}`
      : `\\u${point.toString(16).padStart(4, "0")}`;
  }).join("");
}
