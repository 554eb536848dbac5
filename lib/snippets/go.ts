import type { SampleRequest } from "@/lib/reference/sample-request.ts";

/**
 * Creates a Go program that sends the request. The program requires Go 1.21 or newer and uses only the standard
 * library.
 */
export function createGoSnippet(request: SampleRequest, origin: string): string {
  const { method, path, needsKey, headers, body, isStream } = request;
  const content = body === undefined ? "nil" : `strings.NewReader(\`${formatGoRawJson(body)}\`)`;
  const headerLines = [
    ...(needsKey ? ['"Authorization", "Bearer "+os.Getenv("LOCKKEEPER_API_KEY")'] : []),
    ...(body === undefined ? [] : ['"Content-Type", "application/json"']),
    ...Object.entries(headers).map(([name, value]) => `${quoteGo(name)}, ${quoteGo(value)}`),
  ];
  const imports = [
    "fmt",
    "io",
    "log",
    "net/http",
    ...(needsKey || isStream ? ["os"] : []),
    ...(body === undefined ? [] : ["strings"]),
  ];
  const lines = [
    `request, err := http.NewRequest(${quoteGo(method)}, ${quoteGo(origin + path)}, ${content})`,
    ...CHECK_ERROR,
    ...headerLines.map((line) => `request.Header.Set(${line})`),
    "response, err := http.DefaultClient.Do(request)",
    ...CHECK_ERROR,
    "defer response.Body.Close()",
    ...(isStream ? READ_STREAM : READ_BODY),
  ];
  return `package main

import (
${imports.map((name) => `\t"${name}"`).join("\n")}
)

func main() {
${lines.map((line) => `\t${line}`).join("\n")}
}
`;
}

const CHECK_ERROR = ["if err != nil {", "\tlog.Fatal(err)", "}"] as const;
const READ_BODY = [
  "text, err := io.ReadAll(response.Body)",
  ...CHECK_ERROR,
  "fmt.Println(response.StatusCode, string(text))",
] as const;
const READ_STREAM = [
  "fmt.Println(response.StatusCode)",
  "_, err = io.Copy(os.Stdout, response.Body)",
  ...CHECK_ERROR,
] as const;

/**
 * Quotes text as a Go string literal in ASCII. A lone surrogate becomes U+FFFD, because a Go string literal cannot
 * contain one.
 */
export function quoteGo(text: string): string {
  const quoted = Array.from(JSON.stringify(text.toWellFormed()), (character) => {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0x7f) return character;
    return point > 0xffff ? `\\U${point.toString(16).padStart(8, "0")}` : escapeUnit(character);
  });
  return quoted.join("");
}

/** Formats a value as JSON for a Go raw string literal: in ASCII and without backticks, which would end the literal. */
export function formatGoRawJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .split("")
    .map((unit) => (unit === "`" || unit.charCodeAt(0) >= 0x7f ? escapeUnit(unit) : unit))
    .join("");
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
