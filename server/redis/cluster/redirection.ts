import { formatNodeName, type NodeName, parseNodeName } from "./cluster-map.ts";

/** Where a node of a cluster sends one who asked for a slot it does not have. */
export interface Redirection {
  /** `ASK`: for the next command alone. */
  readonly kind: "MOVED" | "ASK";
  readonly node: NodeName;
}

export function parseRedirection(error: unknown, source: NodeName | undefined): Redirection | undefined {
  const [, kind, host, port] =
    (error instanceof Error && /^(MOVED|ASK) \d+ (.*):(\d+)$/.exec(error.message)) || [];
  if (kind === undefined) return undefined;
  // A node whose name is not known is where the one that told of it is.
  const name = host || (source === undefined ? "" : parseNodeName(source).host);
  return { kind: kind === "ASK" ? "ASK" : "MOVED", node: formatNodeName(name, Number(port)) };
}
