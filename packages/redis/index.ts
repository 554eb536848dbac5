/**
 * Distributed locks in Redis for Node applications.
 *
 * Start with {@link LockClient.open} and {@link LockClient.withLock}. {@link campaign} elects a leader. Every error extends
 * {@link LockkeeperError} and has a stable `code`, except {@link StartupError}, which only `LockClient.open` throws.
 *
 * @packageDocumentation
 */

export { type GroupState, LockGroup } from "../../lib/client/lock-group.ts";
export type { ReleaseRequest, ReleaseRequestListener } from "../../lib/client/release-requests.ts";
export type { LibraryErrorCode as ErrorCode } from "../../lib/contract/error.ts";
export type { TimestampUnit, WritableFormat, WritableKind } from "../../lib/contract/format.ts";
export type { OwnerRecord } from "../../lib/contract/lock.ts";
export {
  AbortedError,
  ConditionUnsupportedError,
  DeadlockError,
  type DeadlockFacts,
  HeldError,
  type HeldFacts,
  type HolderFacts,
  KeyNotAllowedError,
  type KeyNotAllowedFacts,
  KindConflictError,
  type KindConflictFacts,
  LimitConflictError,
  type LimitConflictFacts,
  LostError,
  type LostFacts,
  NotALockError,
  type NotALockFacts,
  QueueFullError,
  type QueueFullFacts,
  UnitConflictError,
  type UnitConflictFacts,
  WaitTimeoutError,
} from "../../server/errors/lock-errors.ts";
export { LockkeeperError } from "../../server/errors/lockkeeper-error.ts";
export {
  NotReplicatedError,
  type NotReplicatedFacts,
  UnavailableError,
  type UnavailableFacts,
  UnknownOutcomeError,
} from "../../server/errors/redis-errors.ts";
export { InvalidError, type InvalidFacts } from "../../server/errors/request-errors.ts";
export { StartupError } from "../../server/errors/startup-error.ts";
export type { SignalledLibrary } from "../../server/formats/release-signals.ts";
export type { OnDeadlock } from "../../server/formats/wait-declaration.ts";
export type { RedisLocation } from "../../server/locks/backends/open-backend.ts";
export type { Retry } from "../../server/locks/client/acquire-with-retry.ts";
export { type CampaignOptions, campaign } from "../../server/locks/client/campaign.ts";
export type { AwaitOptions, Condition } from "../../server/locks/client/condition.ts";
export type { HoldGroup } from "../../server/locks/client/group-locker.ts";
export {
  Hold,
  type HoldReleaseOptions,
  type HoldState,
  type ReenterOptions,
} from "../../server/locks/client/hold.ts";
export type {
  AcquireAllOptions,
  HoldOptions,
  WithLockOptions,
} from "../../server/locks/client/hold-options.ts";
export type { Latch, LatchWaitOptions } from "../../server/locks/client/latch.ts";
export {
  LockClient,
  type LockClientOptions,
  type ReserveOptions,
} from "../../server/locks/client/lock-client.ts";
export type { Logger } from "../../server/locks/client/logger.ts";
export { withLock } from "../../server/locks/client/with-lock.ts";
export type { QuorumLocation } from "../../server/locks/quorum/open-quorum.ts";
export type { Released } from "../../server/locks/verbs/contract/grant.ts";
export type { SemaphorePermits } from "../../server/locks/verbs/contract/latch-verbs.ts";
export type { SafetyOptions } from "../../server/locks/verbs/safety.ts";
export type { ClusterLocation } from "../../server/redis/cluster/cluster-address.ts";
export type { SentinelLocation } from "../../server/redis/sentinel/sentinel-address.ts";
