import type { SnippetLanguage } from "../language.ts";
import { createCurlGuide } from "./curl.ts";
import type { GuideOptions } from "./guide-options.ts";
import { createJavaGuide } from "./java.ts";
import { createPythonGuide } from "./python.ts";
import { createTypescriptGuide } from "./typescript.ts";

const GUIDE_BY_LANGUAGE: Readonly<Record<SnippetLanguage, (options: GuideOptions) => string>> = {
  curl: createCurlGuide,
  typescript: createTypescriptGuide,
  python: createPythonGuide,
  go: () => "public/samples/safelock.go",
  java: createJavaGuide,
};

export function createGuide(language: SnippetLanguage, options: GuideOptions): string {
  return GUIDE_BY_LANGUAGE[language](options);
}
