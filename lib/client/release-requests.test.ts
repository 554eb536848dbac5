import fc from "fast-check";
import { expect, it, vi } from "vitest";
import {
  type ReceivedReleaseRequest,
  type ReleaseRequest,
  type ReleaseRequestCommands,
  ReleaseRequestInbox,
} from "./release-requests.ts";

const createRequest = (
  requestId: string,
  state: ReceivedReleaseRequest["state"] = "requested",
): ReceivedReleaseRequest => ({ requestId, reason: "r", requestedBy: "mei", requestedAt: 1, state });

function createInbox(more: Partial<ReleaseRequestCommands> = {}): ReleaseRequestInbox {
  const inbox = new ReleaseRequestInbox();
  const nothing = async () => undefined;
  inbox.connect({ declare: nothing, answer: nothing, shouldRetry: () => false, ...more });
  return inbox;
}

it("each request that is not answered reaches the listener once, in any order of messages and responses", () => {
  const ids = fc.array(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 3 })), { maxLength: 20 });
  fc.assert(
    fc.property(ids, (rounds) => {
      const inbox = createInbox();
      const heard: string[] = [];
      inbox.listen(({ requestId }) => heard.push(requestId));
      const sent: string[] = [];
      for (const [at, [skipped, times]] of rounds.entries()) {
        const id = `rr_${at}`;
        if (skipped === 0) inbox.receive(createRequest(id, "accepted"));
        else {
          sent.push(id);
          for (let n = 0; n < times; n++) inbox.receive(createRequest(id));
        }
        inbox.receive(undefined);
      }
      expect(heard).toEqual(sent);
    }),
  );
});

it("answers are sent for the request that they belong to", async () => {
  const answer = vi.fn(async (..._answer: unknown[]) => undefined);
  const inbox = createInbox({ answer });
  const requests: ReleaseRequest[] = [];
  inbox.listen((request) => requests.push(request));
  inbox.receive(createRequest("rr_1"));
  inbox.receive(createRequest("rr_2"));
  await requests[0]?.refuse("2 minutes");
  await requests[1]?.accept();
  expect(answer.mock.calls).toEqual([
    ["rr_1", "refused", "2 minutes"],
    ["rr_2", "accepted", undefined],
  ]);
});

it("a request that was sent before the listener was set is delivered by the declaration", async () => {
  const inbox = createInbox({ declare: async () => createRequest("rr_1") });
  inbox.receive(createRequest("rr_1"));
  const heard: string[] = [];
  inbox.listen(({ requestId }) => heard.push(requestId));
  await vi.waitFor(() => expect(heard).toEqual(["rr_1"]));
});

it("only the first listener declares, and a failed declaration is repeated", async () => {
  vi.useFakeTimers();
  let failures = 2;
  const declare = vi.fn(async () => {
    if (failures-- > 0) throw new Error("unavailable");
    return undefined;
  });
  const inbox = createInbox({ declare, shouldRetry: () => true });
  inbox.listen(() => undefined);
  inbox.listen(() => undefined);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(declare).toHaveBeenCalledTimes(3);
  vi.useRealTimers();
});
