import { byLock, type Claim } from "../history/claims.ts";
import type { Check, Violation } from "./finding.ts";

/** C2: fences of a lock differ, rise in real time, and stay with a hold that is entered again. */
export const fenceOrder: Check = ({ claims }) => {
  const holds = claims.filter(({ count }) => count === 1);
  return {
    check: "C2",
    title: "order of fences",
    violations: byLock(claims).flatMap((group) => [
      ...unfenced(group),
      ...doubles(group),
      ...backwards(group),
      ...changed(group),
    ]),
    notes: [`${holds.length} fences`],
  };
};

const isFirst = ({ count, fence }: Claim) => count === 1 && fence !== null;

function violation(what: string, one: Claim, other: Claim): Violation {
  const owners = [one.owner, other.owner];
  return { check: "C2", what, lock: one.lock, owners, from: one.invoke, to: other.ack };
}

function unfenced(claims: readonly Claim[]): Violation[] {
  return claims.flatMap((claim) =>
    claim.fence === null ? [violation(`${claim.owner} was granted no fence`, claim, claim)] : [],
  );
}

function doubles(claims: readonly Claim[]): Violation[] {
  const seen = new Map<string, Claim>();
  return claims.filter(isFirst).flatMap((claim) => {
    const before = seen.get(String(claim.fence));
    seen.set(String(claim.fence), claim);
    if (before === undefined) return [];
    return [
      violation(`${before.owner} and ${claim.owner} were granted one fence, ${claim.fence}`, before, claim),
    ];
  });
}

/** Only what was answered before the other request was sent was certainly granted before it. */
function backwards(claims: readonly Claim[]): Violation[] {
  const holds = claims.filter(isFirst);
  const answered = holds.toSorted((one, other) => one.ack - other.ack);
  const found: Violation[] = [];
  let at = 0;
  let highest: Claim | undefined;
  for (const claim of holds.toSorted((one, other) => one.sent - other.sent)) {
    for (let next = answered[at]; next !== undefined && next.ack < claim.sent; next = answered[++at]) {
      if (highest === undefined || isAbove(next, highest)) highest = next;
    }
    if (highest !== undefined && isAbove(highest, claim)) {
      const what = `${claim.owner} was granted ${claim.fence} after ${highest.owner} had ${highest.fence}`;
      found.push(violation(what, highest, claim));
    }
  }
  return found;
}

const isAbove = (one: Claim, other: Claim) => BigInt(one.fence ?? 0) > BigInt(other.fence ?? 0);

function changed(claims: readonly Claim[]): Violation[] {
  const current = new Map<string, Claim>();
  return claims.flatMap((claim) => {
    const outer = current.get(claim.owner);
    if (claim.count === 1) current.set(claim.owner, claim);
    if (claim.count === 1 || outer === undefined || outer.fence === claim.fence) return [];
    const what = `${claim.owner} had ${outer.fence}, and ${claim.fence} after it entered again`;
    return [violation(what, outer, claim)];
  });
}
