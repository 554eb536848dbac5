import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { SampleRequest } from "../reference/sample-request.ts";
import { createCurlSnippet, quoteShell } from "./curl.ts";
import { createGoSnippet, formatGoRawJson, quoteGo } from "./go.ts";
import { createJavaSnippet, formatJavaTextBlock, quoteJava } from "./java.ts";
import { formatPythonValue } from "./python.ts";
import { formatTypescriptValue } from "./typescript.ts";

/** Strings that try to break out of a string literal. */
const HOSTILE = [
  `"; process.exit(1); //`,
  `'; rm -rf ~; echo '`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what somebody would try.
  "`$(id)` ${process.env.HOME}",
  `""" + exit() + """`,
  "\\u0022; System.exit(1); //",
  "\\",
  "line\nbreak\r\ttab \u2028 \u2029 \u0000 \u007f \u0085",
  "\ud800 lone, 🔒 pair, é",
  "%s {0} @file",
  "__proto__",
];
const REQUEST: SampleRequest = {
  name: "acquireLock",
  method: "POST",
  path: "/api/v1/locks/lock%3Aa/acquire",
  needsKey: true,
  headers: {},
  body: { owner: "me" },
  isStream: false,
};
const anyText = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" }), fc.string());
const anyJson = fc.jsonValue({ stringUnit: "binary" });

it("a TypeScript literal evaluates to the value and nothing else", () => {
  const run = (code: string) => new Function(`return (${code});`)();
  const same = (value: unknown) =>
    expect(JSON.stringify(run(formatTypescriptValue(value)))).toBe(JSON.stringify(value));
  for (const text of HOSTILE) same({ text, [text]: [text] });
  same(JSON.parse('{"__proto__": {"admin": true}}'));
  fc.assert(
    fc.property(anyText, anyJson, (text, value) => {
      same([text, value]);
    }),
  );
});

it("a shell word evaluates to the text and nothing else", () => {
  const texts = HOSTILE.map((text) => text.replaceAll("\u0000", "").replace("\ud800", ""));
  const words = texts.map(quoteShell).join(" ");
  const { stdout } = spawnSync("sh", ["-c", `printf '%s\\001' ${words}`], { encoding: "utf8" });
  expect(stdout.split("\u0001").slice(0, -1)).toEqual(texts);
});

it("a Java literal is one ASCII line without unescaped quotes", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(quoteJava(text)).toMatch(/^"(?:[ !#-[\]-~]|\\[nrt"\\]|\\[0-3][0-7]{2}|\\u[0-9a-f]{4})*"$/);
      expect(formatJavaTextBlock({ text })).not.toContain('"""');
    }),
  );
});

it("a Go literal is one ASCII line, and raw JSON is ASCII without a backtick", () => {
  fc.assert(
    fc.property(anyText, anyJson, (text, value) => {
      expect(quoteGo(text)).toMatch(/^"(?:[ !#-[\]-~]|\\[bfnrt"\\]|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})*"$/);
      expect(quoteGo(text)).not.toMatch(/\\ud[89a-f]/);
      expect(formatGoRawJson([text, value])).toMatch(/^[\n -_a-~]*$/);
      expect(JSON.stringify(JSON.parse(formatGoRawJson([text, value])))).toBe(JSON.stringify([text, value]));
    }),
  );
  expect(quoteGo("é🔒\ud800")).toBe('"\\u00e9\\U0001f512\\ufffd"');
});

it("a Python literal is one ASCII line", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(formatPythonValue(text)).toMatch(
        /^"(?:[ !#-[\]-~]|\\[bfnrt"\\]|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})*"$/,
      );
    }),
  );
  expect(formatPythonValue({ a: [null, true, false, 1.5], é: "🔒" })).toBe(
    '{"a": [None, True, False, 1.5], "\\u00e9": "\\U0001f512"}',
  );
});

it("snippets send the API key from the environment, and none where none is needed", () => {
  const origin = "http://127.0.0.1:3000";
  expect(createCurlSnippet(REQUEST, origin)).toBe(
    `curl -i -X POST 'http://127.0.0.1:3000/api/v1/locks/lock%3Aa/acquire' \\
  -H "Authorization: Bearer $LOCKKEEPER_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"owner":"me"}'
`,
  );
  expect(createGoSnippet(REQUEST, origin)).toContain('"Bearer "+os.Getenv("LOCKKEEPER_API_KEY")');
  expect(createGoSnippet({ ...REQUEST, needsKey: false }, origin)).not.toContain("LOCKKEEPER_API_KEY");
  expect(createCurlSnippet({ ...REQUEST, needsKey: false }, origin)).not.toContain("LOCKKEEPER_API_KEY");
  expect(createJavaSnippet({ ...REQUEST, needsKey: false }, origin)).not.toContain("LOCKKEEPER_API_KEY");
});
