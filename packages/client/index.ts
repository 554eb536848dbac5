/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Distributed locks over the HTTP API of a Lockkeeper server, for any runtime with `fetch`.
 *
 * Start with {@link LockkeeperClient} and {@link LockkeeperClient.withLock}. Every error extends {@link LockkeeperError} and
 * has a stable `code`.
 *
 * @packageDocumentation
 */

export type { ApiErrorCode as ErrorCode } from "../../lib/client/api-error.ts";
export {
  AbortedError,
  DeadlockError,
  type DeadlockFacts,
  type DeadlockStep,
  ForbiddenError,
  HeldError,
  type HeldFacts,
  type HolderFacts,
  InvalidError,
  type InvalidFacts,
  type KeyFacts,
  KeyNotAllowedError,
  type KeyNotAllowedFacts,
  LockkeeperError,
  LostError,
  type LostFacts,
  NotALockError,
  type NotALockFacts,
  NotReplicatedError,
  type NotReplicatedFacts,
  type OtherCode,
  type OtherFacts,
  QueueFullError,
  type QueueFullFacts,
  RefusedError,
  UnauthenticatedError,
  UnavailableError,
  type UnavailableFacts,
  UnitConflictError,
  type UnitConflictFacts,
  UnknownOutcomeError,
  WaitTimeoutError,
} from "../../lib/client/errors.ts";
export { Hold, type HoldState } from "../../lib/client/hold.ts";
export type {
  AcquireAllOptions,
  AcquireOptions,
  Released,
  ReleaseOptions,
  RenewOptions,
  SemaphorePermits,
} from "../../lib/client/hold-options.ts";
export { type GroupState, LockGroup } from "../../lib/client/lock-group.ts";
export {
  type HoldGroup,
  LockkeeperClient,
  type LockkeeperClientOptions,
} from "../../lib/client/lockkeeper-client.ts";
export type { ReleaseRequest, ReleaseRequestListener } from "../../lib/client/release-requests.ts";
export type {
  OwnerRecord,
  TimestampUnit,
  WritableFormat,
  WritableKind,
} from "../../lib/client/wire-types.ts";
