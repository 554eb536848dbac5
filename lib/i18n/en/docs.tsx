import type { ReactNode } from "react";
import type { SnippetLanguage } from "@/lib/snippets/language.ts";

/** The texts around the OpenAPI document, which is English in every language. */
export const docs = {
  namespace: "docs" as const,
  title: "Docs",
  reading: "Reading the document…",
  /** Of a page that is not English; null: it is. */
  isEnglish: null as string | null,
  sections: "Sections of the docs",
  guideShort: "Quick start",
  guideTitle: "Quick start: a safe lock",
  snippetLanguage: "Language of the samples",
  copyOf: (what: string) => `Copy: ${what}`,
  keyStep: "1. Create an API key.",
  keyText: (operation: ReactNode, read: ReactNode, lock: ReactNode) => (
    <>
      Each application has its own API key. Create one in the console (Settings, API keys) or with {operation}
      , and grant it {read} and {lock} on the keys that it needs.
    </>
  ),
  keyVariable: "Environment of the samples",
  programStep: "2. Download the program.",
  programText: {
    command: "It runs a command while it holds the lock. The comment at the top lists what it needs.",
    function:
      "It is one file and uses only the standard library. Replace the example below the line `Your work starts here.` with your work. The comment at the top lists what it needs.",
  },
  runSample: (file: string) => `Download and run ${file}`,
  /** What a snippet needs to run; none needs a package besides its language. */
  needs: {
    curl: "curl 7.76 or newer, in a POSIX shell",
    typescript: "fetch, as in Node 20 or newer",
    python: "urllib of the standard library, Python 3.8 or newer",
    go: "net/http of the standard library, Go 1.21 or newer",
    java: "java.net.http, Java 17 or newer",
  } satisfies Record<SnippetLanguage, string>,
  programIn: (language: string) => `A safe lock in ${language}`,
  safeStep: "3. What makes it safe.",
  points: {
    waits: "It waits for the lock for up to ten seconds. If it does not get the lock, it does no work.",
    deadline:
      "It keeps its own deadline: `waitedMs` and `remainingMs` of the response, counted on a monotonic clock from before the request was sent.",
    renews:
      "It renews at a third of the lease. If there is no usable response, it retries until the deadline. All tries of an acquire have the same `Idempotency-Key`.",
    stops:
      "When the lock is `lost` or the deadline passes, it stops the work and kills the child processes of the work.",
    fence:
      "It hands the `fence` to the work. Send it with every write: a process that was paused beyond its lease does not know it, and only the resource can reject its writes.",
    releases:
      "It releases the lock when the work ends, fails or is interrupted, and never while the work may still be running.",
    killed:
      "If it is killed, even with SIGKILL, renewals and child processes end with it. The lock is free when the lease ends, at the latest.",
  },
  recipes:
    "For cron jobs without overlap, leader election, several locks at once and guarded writes, see `docs/recipes.md` in the repository.",
  eventsTitle: "Listen to events",
  eventsText:
    "Lockkeeper sends an event when a lock is acquired, released, lost or changed. This program follows the server-sent events of `GET /api/v1/events`, reconnects, and resumes after the last event that it printed.",
  eventsProgram: "A program that follows events",
  allSamples: "All sample programs:",
  reference: "API reference",

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
