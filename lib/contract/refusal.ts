/**
 * Reasons for which Redis refuses a command. Each reason corresponds to one Redis error code, except `no_auth`, which
 * covers `NOAUTH` and `WRONGPASS`.
 */
export const REFUSAL_REASONS = [
  "no_replicas",
  "persistence_failed",
  "out_of_memory",
  "read_only",
  "cluster_down",
  "master_down",
  "loading",
  "busy_script",
  "no_permission",
  "no_auth",
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Reasons for which a master refuses all writes. Reads continue to work. */
export const WRITE_REFUSALS = [
  "no_replicas",
  "persistence_failed",
  "out_of_memory",
  "read_only",
] as const satisfies readonly RefusalReason[];
export type WriteRefusal = (typeof WRITE_REFUSALS)[number];

/**
 * Cause and remedy of each refusal, one sentence each without a final period. The cause includes the Redis error code.
 */
export const REFUSAL_TEXTS: Readonly<Record<RefusalReason, { cause: string; remedy: string }>> = {
  no_replicas: {
    cause:
      "Redis refuses writes: fewer replicas are in sync than min-replicas-to-write requires (NOREPLICAS)",
    remedy: "Reconnect a replica, or lower min-replicas-to-write",
  },
  persistence_failed: {
    cause: "Redis refuses writes: it could not save its data to disk (MISCONF)",
    remedy: "Free disk space or make the directory of Redis writable; the log of Redis has the reason",
  },
  out_of_memory: {
    cause: "Redis refuses writes: it uses all of maxmemory (OOM)",
    remedy: "Raise maxmemory, or delete data",
  },
  read_only: {
    cause: "Redis refuses writes: it is a read-only replica (READONLY)",
    remedy: "Wait for the failover to finish, or give the address of the master",
  },
  cluster_down: {
    cause: "The Redis Cluster does not serve this key (CLUSTERDOWN)",
    remedy: "Restore the master of its slot, or assign the slot to another one",
  },
  master_down: {
    cause: "Redis is a replica that has lost its master (MASTERDOWN)",
    remedy: "Wait for the failover to finish, or restore the master",
  },
  loading: {
    cause: "Redis is loading its data after a start (LOADING)",
    remedy: "Wait until it has finished",
  },
  busy_script: {
    cause: "A script of another client blocks Redis (BUSY)",
    remedy: "Wait until it has finished, or run SCRIPT KILL",
  },
  no_permission: {
    cause: "The Redis user may not run a command or use a key (NOPERM)",
    remedy: "Grant the rights that docs/targets.md lists",
  },
  no_auth: {
    cause: "Redis does not accept the user or password (NOAUTH)",
    remedy: "Correct the credentials of the target",
  },
};
