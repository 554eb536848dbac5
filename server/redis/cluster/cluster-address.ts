import { isIP } from "node:net";
import { StartupError } from "../../errors/startup-error.ts";
import { parseRedisAddress, type RedisAddress } from "../connect.ts";
import { type ClusterAddress, formatNodeName, type NodeName, parseNodeName } from "./cluster-map.ts";

export interface ClusterLocation {
  /**
   * URLs of some of the cluster's nodes, with `redis://` or `rediss://`. The user, password and TLS settings of the
   * first URL apply to all nodes.
   */
  readonly cluster: readonly string[];
  /** Maps node addresses that Lockkeeper cannot reach to addresses that it can reach, both as `host:port`. */
  readonly natMap?: Readonly<Record<NodeName, NodeName>>;
}

/** @throws StartupError if there is no URL, or a URL is not valid for a cluster node */
export function toClusterAddress({ cluster, natMap = {} }: ClusterLocation): ClusterAddress {
  const nodes = cluster.map((url) => parseNodeAddress(url));
  const [first] = nodes;
  if (first === undefined) throw new StartupError("A cluster needs the URL of at least one of its nodes.");
  return {
    seeds: nodes.map(({ options }) => formatNodeName(String(options.host), Number(options.port))),
    getNodeAddress(node) {
      const label = natMap[node] ?? node;
      const { host, port } = parseNodeName(label);
      const { tls } = first.options;
      // Nodes announce IP addresses, but their certificates are for the host name in the configured URL.
      const security =
        tls === undefined ? {} : { tls: isIP(host) === 0 ? { ...tls, servername: host } : tls };
      return {
        options: { ...first.options, host, port, ...security },
        label,
        db: 0,
      };
    },
  };
}

function parseNodeAddress(url: string): RedisAddress {
  const address = parseRedisAddress(url);
  if (address.options.path !== undefined) {
    throw new StartupError("A node of a cluster is reached over TCP; write it as redis://host:port.");
  }
  if (address.db !== 0)
    throw new StartupError("A cluster has the database 0 alone; leave /db out of its URLs.");
  return address;
}
