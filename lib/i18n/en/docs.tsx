import type { ReactNode } from "react";
import type { SnippetLanguage } from "@/lib/snippets/language.ts";

/** What stands around the API's own document, which is English in every language. */
export const docs = {
  namespace: "docs" as const,
  title: "Docs",
  reading: "Reading the document…",
  /** Of a page that is not English; null: it is. */
  isEnglish: null as string | null,
  sections: "Sections of the docs",
  guideShort: "A safe lock in five minutes",
  guideTitle: "From nothing to a safe lock in five minutes",
  snippetLanguage: "Language of the snippets",
  copyOf: (what: string) => `Copy: ${what}`,
  keyStep: "1. A key.",
  keyText: (make: ReactNode, read: ReactNode, lock: ReactNode) => (
    <>
      Apps call the API with an API key: the one that was printed at the first start, or one of their own
      (Settings, or {make}) with {read} and {lock} for the keys that they need.
    </>
  ),
  keyVariable: "The key as a variable",
  programStep: "2. The program.",
  programText: (needs: string) => `Put your work where the steps are. It needs ${needs}.`,
  /** What a snippet needs to run; none needs anything to be installed beside its language. */
  needs: {
    curl: "curl 7.76 or newer, in a POSIX shell",
    typescript: "fetch, as in Node 20 or newer",
    python: "urllib of the standard library, Python 3.8 or newer",
    go: "net/http of the standard library, Go 1.21 or newer",
    java: "java.net.http, Java 17 or newer",
  } satisfies Record<SnippetLanguage, string>,
  programIn: (language: string) => `A safe lock in ${language}`,
  safeStep: "3. Why it is safe.",
  points: {
    waits: "It waits for the lock, ten seconds at most. When it does not get it, it does nothing.",
    deadline:
      "It keeps a deadline of its own: `waitedMs` and `remainingMs` of the grant, counted on a monotonic clock from before the request was sent. Before each step it looks at it.",
    fence:
      "It sends the `fence` along with every write. A process that was paused for longer than its lease does not know it: only the resource can refuse it, because its fence is lower than one that was there.",
    renews: "It renews at a third of the lease. No answer is tried again until the deadline.",
    stops:
      "When the lock is `lost`, or the deadline has passed, it stops: somebody else may be at work. It does not release, for nothing is left to release.",
    releases:
      "When it has finished, it stops renewing first, and releases then. A crash releases nothing: the lease ends by itself.",
  },

  operationIn: (operation: string, language: string) => `${operation} in ${language}`,
  needsOf: (language: string, needs: string) => `${language}: ${needs}`,
  accessAnyone: "Needs no credentials.",
  accessNeeded: (access: string) => `Needs the access \`${access}\`.`,
  parameters: "Parameters",
  body: "Body",
  otherBodies: "Bodies for other ends",
  errors: "Errors",
  answer: "Answer",
  answerOf: (operation: string) => `Answer of ${operation}`,
  members: "Members",
  required: "required",
};
