import type { SampleRequest } from "@/lib/reference/sample-request.ts";
import { curlSnippet } from "./curl.ts";
import { javaSnippet } from "./java.ts";
import { pythonSnippet } from "./python.ts";
import { typescriptSnippet } from "./typescript.ts";

export const LANGUAGES = ["curl", "typescript", "python", "java"] as const;
export type Language = (typeof LANGUAGES)[number];

export const LABEL_OF_LANGUAGE: Readonly<Record<Language, string>> = {
  curl: "curl",
  typescript: "TypeScript",
  python: "Python",
  java: "Java",
};

const SNIPPET_IN: Readonly<Record<Language, (request: SampleRequest, origin: string) => string>> = {
  curl: curlSnippet,
  typescript: typescriptSnippet,
  python: pythonSnippet,
  java: javaSnippet,
};

/** @param origin of the server, such as `http://127.0.0.1:3000` */
export function snippetIn(language: Language, request: SampleRequest, origin: string): string {
  return SNIPPET_IN[language](request, origin);
}
