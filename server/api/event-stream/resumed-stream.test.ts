import { expect, it, vi } from "vitest";
import { DEFAULT_RETENTION, Journal } from "../../history/journal.ts";
import type { Target } from "../../targets/target.ts";
import { UNLIMITED_CPU } from "../http/cpu-budgets.ts";
import type { ResponseSink } from "../http/http-exchange.ts";
import { EventStream } from "./event-stream.ts";

const NOW = 10;

/**
 * Creates a journal and a stream that resumes after `lastId`. The recorder of the journal may not have loaded the
 * history.
 */
function resumeStream(lastId: string, recorder: { isLoaded: boolean } | undefined, known: readonly number[]) {
  const journal = new Journal(DEFAULT_RETENTION);
  if (recorder !== undefined) {
    const observer = { recordEvent: () => undefined, listUnrecordedEvents: () => [] };
    journal.attachRecorder(Object.assign(recorder, observer));
  }
  journal.index.add(known.map(buildEntry));
  const watcher = {
    clock: { now: () => NOW },
    waitUntilSettled: () => Promise.reject(new Error("snapshot")),
  };
  const messages: string[] = [];
  const sink: ResponseSink = {
    write: (text) => messages.push(String(text).match(/^id: (\S+)|^event: (\S+)/m)?.[0] ?? ""),
    close: () => messages.push("closed"),
    end: () => undefined,
    bufferedBytes: 0,
    onClose: () => undefined,
  };
  const target = { journal, watcher } as unknown as Target;
  const options = { isWanted: () => true, allowedKeys: undefined, cpu: UNLIMITED_CPU };
  const run = new EventStream(target, sink, options).run(lastId).catch(() => messages.push("snapshot"));
  return { journal, messages, run };
}

function buildEntry(n: number) {
  const id = `${n}-0`;
  return { id, target: "a", key: `lock:${n}`, type: "released", at: n, observed: "exact" } as const;
}

function recordEvents(journal: Journal, ...numbers: number[]): void {
  const entries = numbers.map(buildEntry);
  journal.index.add(entries);
  journal.publishRecorded(entries.map((entry) => ({ entry, previousId: undefined })));
}

it("a stream that resumes while the history is loaded sends the events after its position, each once", async () => {
  const recorder = { isLoaded: false };
  const { journal, messages, run } = resumeStream("2-0", recorder, [1, 2]);
  await new Promise((resolve) => setTimeout(resolve, 60));
  journal.index.add([buildEntry(3)]);
  recorder.isLoaded = true;
  await run;
  recordEvents(journal, 4);
  expect(messages).toEqual([expect.stringMatching("hello"), "id: 3-0", "id: 4-0"]);
});

it("a stream that resumes after an event that another instance has just recorded waits for it", async () => {
  const { journal, messages, run } = resumeStream("2-0", { isLoaded: true }, [1]);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(messages).toEqual([]);
  recordEvents(journal, 2, 3);
  await run;
  expect(messages).toEqual([expect.stringMatching("hello"), "id: 3-0"]);
});

it.each([
  ["of another process", "other-1", { isLoaded: true }],
  ["far in the future", "999999-0", { isLoaded: true }],
  ["not known, if nothing is recorded", "2-0", undefined],
])("a position %s gets a snapshot at once", async (_, id, recorder) => {
  const { messages } = resumeStream(id, recorder, [1]);
  await vi.waitFor(() => expect(messages).toEqual([expect.stringMatching("hello"), "snapshot"]));
});

it("a position that stays unknown gets a snapshot after a while", { timeout: 20_000 }, async () => {
  const { messages, run } = resumeStream("2-0", { isLoaded: true }, [1]);
  await run;
  expect(messages).toEqual([expect.stringMatching("hello"), "snapshot"]);
});
