import type { ReactNode } from "react";
import type { SnippetLanguage } from "@/lib/snippets/language.ts";

/** Messages for the docs page. The text of the API reference on the page comes from the OpenAPI document. */
export const docs = {
  namespace: "docs" as const,
  title: "Docs",
  reading: "Loading…",
  /** A note that lists which content is shown in English because it is not translated; `null` in English. */
  isEnglish: null as string | null,
  sections: "Table of contents",
  guideShort: "Quick start",
  guideTitle: "Quick start: a safe lock",
  snippetLanguage: "Sample language",
  copyOf: (what: string) => `Copy: ${what}`,
  keyStep: "1. Create an API key.",
  keyText: (operation: ReactNode, read: ReactNode, lock: ReactNode) => (
    <>
      Each application has its own API key. Create one in the console (Settings, API keys) or with {operation}
      , and grant it {read} and {lock} on the keys that it needs.
    </>
  ),
  keyVariable: "Environment variables",
  programStep: "2. Download the program.",
  programText: {
    command: "It runs a command while it holds the lock. The comment at the top lists what it needs.",
    function:
      "It is one file and uses only the standard library. Replace the example below the line `Your work starts here.` with your work. The comment at the top lists what it needs.",
  },
  runSample: (file: string) => `Download and run ${file}`,
  /** Requirements for running a snippet, by snippet language. No snippet needs a third-party package. */
  needs: {
    curl: "curl 7.76 or newer, in a POSIX shell",
    typescript: "fetch, Node.js 20 or newer",
    python: "urllib, Python 3.8 or newer",
    go: "net/http, Go 1.21 or newer",
    java: "java.net.http, Java 17 or newer",
  } satisfies Record<SnippetLanguage, string>,
  programIn: (language: string) => `Safe locking in ${language}`,
  safeStep: "3. Understand what makes it safe.",
  points: {
    waits: "It waits for the lock for up to ten seconds. If it cannot acquire the lock, it does no work.",
    deadline:
      "It tracks its own deadline: the sum of `waitedMs` and `remainingMs` from the response, measured on a monotonic clock from before the request was sent.",
    renews:
      "It renews the lease each time a third of it has passed. If it gets no usable response, it retries until the deadline. All attempts of one acquire send the same `Idempotency-Key`.",
    stops:
      "When the lock is `lost` or the deadline passes, it stops your code and kills its child processes.",
    fence:
      "It passes the fencing token (`fence`) to your code. Send the token with every write. A process that was paused until after its lease expired cannot know that. Only the resource can reject its writes.",
    releases:
      "It releases the lock when the work ends, fails or is interrupted, but never while the work may still be running.",
    killed:
      "If it is killed, even with SIGKILL, renewals and child processes stop with it. The lock expires with its lease at the latest.",
  },
  recipes:
    "For non-overlapping cron jobs, leader election, acquiring several locks at once and guarded writes, see `docs/recipes.md` in the repository.",
  eventsTitle: "Listen to events",
  eventsText:
    "Lockkeeper sends an event when a lock is acquired, released, lost or changed. This program reads the server-sent events from `GET /api/v1/events`, reconnects if the connection drops, and resumes after the last event that it printed.",
  eventsProgram: "Program that listens to events",
  allSamples: "All sample programs:",
  reference: "API reference",

  operationIn: (operation: string, language: string) => `${operation} in ${language}`,
  needsOf: (language: string, needs: string) => `${language}: ${needs}`,
  accessAnyone: "Requires no credentials.",
  accessNeeded: (access: string) => `Requires \`${access}\` access.`,
  parameters: "Parameters",
  body: "Body",
  otherBodies: "Other request bodies",
  errors: "Errors",
  response: "Response",
  responseOf: (operation: string) => `Response to ${operation}`,
  members: "Fields",
  required: "required",
  /** Names of the parts of a request that contain parameters. */
  parameterIn: { path: "path", query: "query", header: "header" } as Readonly<Record<string, string>>,
  between: ", ",
  limits: {
    units: { characters: " characters", items: " items" },
    range: (least: string, most: string, unit: string) => `${least} to ${most}${unit}`,
    atMost: (most: string, unit: string) => `at most ${most}${unit}`,
    atLeast: (least: string, unit: string) => `at least ${least}${unit}`,
    pattern: (pattern: string) => `matches ${pattern}`,
    byDefault: (value: string) => `default ${value}`,
    separator: "; ",
  },
};
