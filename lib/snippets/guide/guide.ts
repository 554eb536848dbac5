import type { Language } from "../language.ts";
import { curlGuide } from "./curl.ts";
import type { GuideOptions } from "./guide-options.ts";
import { javaGuide } from "./java.ts";
import { pythonGuide } from "./python.ts";
import { typescriptGuide } from "./typescript.ts";

const GUIDE_IN: Readonly<Record<Language, (options: GuideOptions) => string>> = {
  curl: curlGuide,
  typescript: typescriptGuide,
  python: pythonGuide,
  java: javaGuide,
};

export function guideIn(language: Language, options: GuideOptions): string {
  return GUIDE_IN[language](options);
}
