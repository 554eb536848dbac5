import { formatNodeName, type NodeName, parseNodeName } from "./cluster-map.ts";

/** A MOVED or ASK redirect, with which a cluster node refers a client to the node that has the key. */
export interface Redirection {
  /** `ASK` applies to the next command only. */
  readonly kind: "MOVED" | "ASK";
  readonly node: NodeName;
}

export function parseRedirection(error: unknown, source: NodeName | undefined): Redirection | undefined {
  const [, kind, host, port] =
    (error instanceof Error && /^(MOVED|ASK) \d+ (.*):(\d+)$/.exec(error.message)) || [];
  if (kind === undefined) return undefined;
  // An empty host in a redirect stands for the host of the node that sent the redirect.
  const name = host || (source === undefined ? "" : parseNodeName(source).host);
  return { kind: kind === "ASK" ? "ASK" : "MOVED", node: formatNodeName(name, Number(port)) };
}
