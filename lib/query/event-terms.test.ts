import { expect, it } from "vitest";
import { findLockOnlyTerm } from "./event-terms.ts";

it.each([
  ["held>5m", "held>5m"],
  ["billing held>soon", "held>soon"],
  ["key:lock:* is:needs_attention", "is:needs_attention"],
  ["liveness:overdue", "liveness:overdue"],
  ['service:="a b" waiters>0', 'service:="a b"'],
])("the filter %s has a term that no event can match: %s", (filter, word) =>
  expect(findLockOnlyTerm(filter)).toBe(word),
);

it.each(["", "billing", "key:lock:*  owner:bert", 'key:="a held>5m"', "owner:=~AAE", "a>b", "port:80"])(
  "an event may match every term of %s",
  (filter) => expect(findLockOnlyTerm(filter)).toBeUndefined(),
);
