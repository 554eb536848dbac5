import { describe, expect, it } from "vitest";
import { ForceReleaseVotes } from "./force-release-votes.ts";

function createVotes(masters: number) {
  const released: [token: string, fence: string][] = [];
  const votes = new ForceReleaseVotes(masters, { onRelease: (...hold) => void released.push(hold) });
  return { votes, released };
}

describe("ForceReleaseVotes", () => {
  it("a force-release is reported once a majority of the masters has reported it, each counted once", () => {
    const { votes, released } = createVotes(3);
    votes.add(0, "a:1", "7");
    votes.add(0, "a:1", "7");
    votes.add(1, "a:2", "9");
    expect(released).toEqual([]);
    votes.add(2, "a:1", "7");
    expect(released).toEqual([["a:1", "7"]]);
    votes.add(1, "a:1", "7");
    expect(released).toHaveLength(1);
  });

  it("masters that missed the agreement on the fence count for the token", () => {
    const { votes, released } = createVotes(5);
    votes.add(0, "a:1", "5");
    votes.add(1, "a:1", "7");
    votes.add(2, "a:1", "7");
    expect(released).toEqual([
      ["a:1", "5"],
      ["a:1", "7"],
    ]);
  });

  it("votes of a minority are forgotten when many others came after them", () => {
    const { votes, released } = createVotes(3);
    votes.add(0, "a:0", "1");
    for (let number = 1; number <= 1000; number++) votes.add(0, `a:${number}`, "1");
    votes.add(1, "a:0", "1");
    votes.add(1, "a:1000", "1");
    expect(released).toEqual([["a:1000", "1"]]);
  });
});
