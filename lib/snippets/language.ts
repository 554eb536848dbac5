import type { SampleRequest } from "@/lib/reference/sample-request.ts";
import { createCurlSnippet } from "./curl.ts";
import { createGoSnippet } from "./go.ts";
import { createJavaSnippet } from "./java.ts";
import { createPythonSnippet } from "./python.ts";
import { createTypescriptSnippet } from "./typescript.ts";

export const SNIPPET_LANGUAGES = ["curl", "typescript", "python", "go", "java"] as const;
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number];

export const LANGUAGE_LABELS: Readonly<Record<SnippetLanguage, string>> = {
  curl: "Shell",
  typescript: "TypeScript",
  python: "Python",
  go: "Go",
  java: "Java",
};

const SNIPPET_BY_LANGUAGE: Readonly<
  Record<SnippetLanguage, (request: SampleRequest, origin: string) => string>
> = {
  curl: createCurlSnippet,
  typescript: createTypescriptSnippet,
  python: createPythonSnippet,
  go: createGoSnippet,
  java: createJavaSnippet,
};

/**
 * Creates a snippet that sends the request, in the given language.
 *
 * @param origin origin of the server, such as `http://127.0.0.1:3000`
 */
export function createSnippet(language: SnippetLanguage, request: SampleRequest, origin: string): string {
  return SNIPPET_BY_LANGUAGE[language](request, origin);
}
