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

/** What a snippet needs to run; none needs anything to be installed beside its language. */
export const NEEDS_OF_LANGUAGE: Readonly<Record<Language, string>> = {
  curl: "curl 7.76 or newer, in a POSIX shell",
  typescript: "fetch, as in Node 20 or newer",
  python: "urllib of the standard library, Python 3.8 or newer",
  java: "java.net.http, Java 17 or newer",
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
