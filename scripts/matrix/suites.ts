import type { MatrixServer } from "./servers.ts";

/** How many of the suites to run. */
export type Extent = "full" | "quick";

type SuiteLists = Readonly<Record<Extent, readonly string[]>>;

const COMPLETE: SuiteLists = {
  // Everything that depends on the behavior of a server: locks, formats, watch and the folders that they use.
  full: [
    "server/formats/",
    "server/locks/",
    "server/redis/",
    "server/targets/",
    "server/watch/",
    "test/conformance/",
    "test/hazards/",
  ],
  // The test files of each area that depend most on the wire protocol.
  quick: [
    "server/formats/fast-path",
    "server/formats/keys",
    "server/formats/members/",
    "server/formats/redisson/",
    "server/formats/strings/",
    "server/formats/withdraw-request",
    "server/locks/cluster.",
    "server/locks/replicas",
    "server/locks/sentinel.",
    "server/locks/verbs/",
    "server/redis/check-server",
    "server/watch/cluster.",
    "server/watch/endings",
    "server/watch/redis-failures",
    "server/watch/watcher.",
    "test/conformance/conformance.",
    "test/hazards/refusals",
    "test/hazards/scripts",
    "test/hazards/waiting",
  ],
};

/** The tests for servers without CONFIG. These tests neither call CONFIG nor use Sentinel. */
const WITHOUT_CONFIG: SuiteLists = {
  full: [
    "server/locks/backends/",
    "server/locks/client/",
    "server/locks/cluster.",
    "server/locks/fencing",
    "server/locks/outage",
    "server/locks/quorum/",
    "server/locks/verbs/",
    "server/targets/without-config",
    "server/watch/cluster.",
    "server/watch/endings",
    "server/watch/finder/",
    "server/watch/holds/",
    "server/watch/hostile-messages",
    "server/watch/redisson",
    "server/watch/shared-locks",
  ],
  quick: [
    "server/locks/client/hold.",
    "server/locks/outage",
    "server/locks/verbs/",
    "server/targets/without-config",
    "server/watch/endings",
    "server/watch/redisson",
  ],
};

const LISTS: Readonly<Record<MatrixServer["variant"], SuiteLists>> = {
  complete: COMPLETE,
  without_config: WITHOUT_CONFIG,
};

/** Lists the test files that run on a server, as prefixes of their paths. */
export function listSuites(variant: MatrixServer["variant"], extent: Extent): readonly string[] {
  return LISTS[variant][extent];
}
