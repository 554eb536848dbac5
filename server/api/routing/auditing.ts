import { ACCESS_OF_ROLE } from "../../../lib/contract/access.ts";
import type { ForceReleased } from "../../../lib/contract/actions/force-release.ts";
import type { AuditOutcome } from "../../../lib/contract/audit.ts";
import { formatKey, type Key, toKeyFields } from "../../../lib/keys/key.ts";
import { buildOperatorId, canAccess } from "../../auth/principal.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { ChangedError } from "../../errors/operator-errors.ts";
import type { Audit, AuditedCall, AuditFacts } from "../../history/audit/audit.ts";
import type { Target } from "../../targets/target.ts";
import type { ApiResponse } from "../http/http-exchange.ts";
import type { AnyCall } from "./route.ts";

type AuditableCall = Pick<AnyCall, "request" | "principal" | "key" | "responseId"> &
  Partial<Pick<AnyCall, "target" | "connector">>;

/**
 * Returns the facts that the audit log records about a call. Must be called before `detach`, because the headers cannot
 * be read afterwards.
 *
 * @param key the key of the lock. Defaults to the key in the path
 */
export function toAuditedCall(call: AuditableCall, key: Key = call.key): AuditedCall {
  const { request, principal, target, connector, responseId } = call;
  const name = target?.name ?? connector?.name;
  const about = { target: name, key: key === "" ? undefined : key };
  const address = request.remoteAddress;
  const agent = request.header("user-agent");
  return {
    requestId: responseId,
    who: {
      ...{ kind: principal.kind, id: principal.id, name: principal.name },
      verbs: ACCESS_OF_ROLE.admin.filter((access) => canAccess(principal, access, about)),
    },
    from: { ...(address === undefined ? {} : { address }), ...(agent === undefined ? {} : { agent }) },
    ...(name === undefined ? {} : { target: name }),
    ...(key === "" ? {} : toKeyFields(key)),
  };
}

/** Returns the facts that the audit log records about a login or logout, with the operator of the session as `who`. */
export function toAuditedCallBy({ name }: { readonly name: string }, call: AuditableCall): AuditedCall {
  const called = toAuditedCall(call);
  return { ...called, who: { ...called.who, kind: "session", id: buildOperatorId(name), name } };
}

/**
 * Runs an action. Records its intent in the audit log before the action, and its outcome afterwards.
 *
 * @throws LockkeeperError unavailable if the intent cannot be recorded, or invalid if its details are too long; the
 * error from `run` if `run` fails
 */
export async function runAudited(
  audit: Audit,
  call: AuditedCall,
  facts: AuditFacts,
  run: () => Promise<ApiResponse> | ApiResponse,
): Promise<ApiResponse> {
  const act = await audit.beginAction(call, facts);
  try {
    const response = await run();
    act.end({ code: response.verbEnd?.outcome ?? "done", ...response.auditOutcome });
    return response;
  } catch (error) {
    act.end(toAuditErrorOutcome(error));
    throw error;
  }
}

/** Converts an error to an audit outcome. */
export function toAuditErrorOutcome(error: unknown): AuditOutcome {
  if (!(error instanceof LockkeeperError)) return { code: "internal" };
  const owner = error instanceof ChangedError ? error.facts.holders?.[0]?.owner : undefined;
  return { code: error.code, detail: error.message, ...(owner === undefined ? {} : { owner }) };
}

/** Converts the result of a force-release to additional fields of an audit outcome. */
export function toAuditReleaseOutcome({
  owner,
  ended,
  reserved,
  together,
  masters,
}: ForceReleased): Partial<AuditOutcome> {
  return {
    ...(owner === undefined ? {} : { owner }),
    ...(ended === undefined ? {} : { eventId: ended.id }),
    ...((reserved ?? together ?? masters) ? { details: { reserved, together, masters } } : {}),
  };
}

/** Returns what the operator saw, for the audit log: the version in the request and up to 20 owners from the index. */
export function toAuditSeen(
  { watcher }: Target,
  key: Key,
  version?: string,
): NonNullable<AuditFacts["seen"]> {
  const holders = watcher.index.get(key)?.holders;
  return {
    ...(version === undefined ? {} : { version }),
    ...(holders === undefined
      ? {}
      : { owners: holders.slice(0, 20).map(({ seen }) => formatKey(seen.owner)) }),
  };
}

interface AuditedLogin<Found> {
  readonly by: "link" | "password";
  /** The operator name that the client sent. `undefined` for a login by link. */
  readonly name: string | undefined;
  readonly logIn: () => Promise<Found>;
  readonly undo: (found: Found) => Promise<void>;
}

/**
 * Runs a login and records it in the audit log before the session is returned. If the login cannot be recorded, the
 * session is ended. Failed logins are recorded as refusals, and repeated refusals are counted in a single entry.
 */
export async function runAuditedLogin<Found extends { readonly session: { readonly name: string } }>(
  audit: Audit,
  call: AuditableCall,
  { by, name, logIn, undo }: AuditedLogin<Found>,
): Promise<Found> {
  let found: Found;
  try {
    found = await logIn();
  } catch (error) {
    const { code } = toAuditErrorOutcome(error);
    audit.recordRefusal({ action: "login", code, address: call.request.remoteAddress, name });
    throw error;
  }
  try {
    const act = await audit.beginAction(toAuditedCallBy(found.session, call), {
      action: "login",
      details: { by },
    });
    act.end({ code: "done" });
  } catch (error) {
    await undo(found).catch(() => undefined);
    throw error;
  }
  return found;
}
