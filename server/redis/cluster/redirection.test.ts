import { describe, expect, it } from "vitest";
import { parseRedirection } from "./redirection.ts";

describe("cluster redirections", () => {
  it.each([
    ["MOVED 3999 127.0.0.1:6381", { kind: "MOVED", node: "127.0.0.1:6381" }],
    ["ASK 3999 node-2.example:6381", { kind: "ASK", node: "node-2.example:6381" }],
    ["MOVED 3999 fe80::1:6381", { kind: "MOVED", node: "fe80::1:6381" }],
    // Sent by a node that does not know its own address or is configured not to announce it.
    ["MOVED 3999 :6381", { kind: "MOVED", node: "10.0.0.1:6381" }],
  ])("the redirection %s is parsed", (message, redirection) => {
    expect(parseRedirection(new Error(message), "10.0.0.1:6379")).toEqual(redirection);
  });

  it.each(["CLUSTERDOWN The cluster is down", "MOVED", "ERR ASK 1 a:1", "TRYAGAIN"])(
    "the error %s is not a redirection",
    (text) => {
      expect(parseRedirection(new Error(text), "10.0.0.1:6379")).toBeUndefined();
      expect(parseRedirection(text, "10.0.0.1:6379")).toBeUndefined();
    },
  );
});
