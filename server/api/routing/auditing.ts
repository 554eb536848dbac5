import { ACCESS_OF_ROLE } from "../../../lib/contract/access.ts";
import type { ForceReleased } from "../../../lib/contract/actions/force-release.ts";
import type { AuditOutcome } from "../../../lib/contract/audit.ts";
import { fieldsOfKey, type Key, textOfKey } from "../../../lib/keys/key.ts";
import { idOfOperator, may } from "../../auth/principal.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { ChangedError } from "../../errors/operator-errors.ts";
import type { Audit, AuditedCall, AuditFacts } from "../../history/audit/audit.ts";
import type { Target } from "../../targets/target.ts";
import type { ApiResponse } from "../http/http-exchange.ts";
import type { AnyCall } from "./route.ts";

type Asked = Pick<AnyCall, "request" | "principal" | "key" | "answerId"> &
  Partial<Pick<AnyCall, "target" | "keeper">>;

/**
 * Who calls, from where, about what. Asked before the request is held: its headers are gone then.
 *
 * @param key another one than in the path, for handlers of several
 */
export function auditedCallOf(call: Asked, key: Key = call.key): AuditedCall {
  const { request, principal, target, keeper, answerId } = call;
  const name = target?.name ?? keeper?.name;
  const about = { target: name, key: key === "" ? undefined : key };
  const address = request.remoteAddress;
  const agent = request.header("user-agent");
  return {
    requestId: answerId,
    who: {
      ...{ kind: principal.kind, id: principal.id, name: principal.name },
      verbs: ACCESS_OF_ROLE.admin.filter((access) => may(principal, access, about)),
    },
    from: { ...(address === undefined ? {} : { address }), ...(agent === undefined ? {} : { agent }) },
    ...(name === undefined ? {} : { target: name }),
    ...(key === "" ? {} : fieldsOfKey(key)),
  };
}

/** The same of a browser that is nobody yet, or comes without saying who it is: by the session that it gets or gives back. */
export function auditedCallBy({ name }: { readonly name: string }, call: Asked): AuditedCall {
  const called = auditedCallOf(call);
  return { ...called, who: { ...called.who, kind: "session", id: idOfOperator(name), name } };
}

/** Runs an action between its intent and its outcome. @throws unavailable when the intent cannot be written; what `run` throws */
export async function audited(
  audit: Audit,
  call: AuditedCall,
  facts: AuditFacts,
  run: () => Promise<ApiResponse> | ApiResponse,
): Promise<ApiResponse> {
  const act = await audit.begin(call, facts);
  try {
    const response = await run();
    act.end({ code: response.end?.outcome ?? "done", ...response.audited });
    return response;
  } catch (error) {
    act.end(auditOfError(error));
    throw error;
  }
}

/** What the audit says of a failure. */
export function auditOfError(error: unknown): AuditOutcome {
  if (!(error instanceof LockkeeperError)) return { code: "internal" };
  const owner = error instanceof ChangedError ? error.facts.holders?.[0]?.owner : undefined;
  return { code: error.code, detail: error.message, ...(owner === undefined ? {} : { owner }) };
}

/** What the audit says of a lock that was freed by force, or was gone. */
export function auditOfFreed({
  owner,
  ended,
  heldOff,
  together,
  masters,
}: ForceReleased): Partial<AuditOutcome> {
  return {
    ...(owner === undefined ? {} : { owner }),
    ...(ended === undefined ? {} : { eventId: ended.id }),
    ...((heldOff ?? together ?? masters) ? { details: { heldOff, together, masters } } : {}),
  };
}

/** What was there to be seen when somebody asked for something: the version that they name, and who holds it as far as we know. */
export function seenOf({ watcher }: Target, key: Key, version?: string): NonNullable<AuditFacts["seen"]> {
  const holders = watcher.mirror.get(key)?.holders;
  return {
    ...(version === undefined ? {} : { version }),
    ...(holders === undefined
      ? {}
      : { owners: holders.slice(0, 20).map(({ seen }) => textOfKey(seen.owner)) }),
  };
}

/**
 * A browser logs in. Who guesses is counted and not recorded one by one; of who got in, the record is written before
 * the session is given away, and a session that cannot be recorded is ended.
 */
export async function auditedLogin<Found extends { readonly session: { readonly name: string } }>(
  audit: Audit,
  call: Asked,
  { by, logIn, undo }: { by: string; logIn: () => Promise<Found>; undo: (found: Found) => Promise<void> },
): Promise<Found> {
  let found: Found;
  try {
    found = await logIn();
  } catch (error) {
    const { code } = auditOfError(error);
    audit.refused("login", code, call.request.remoteAddress);
    throw error;
  }
  try {
    const act = await audit.begin(auditedCallBy(found.session, call), { action: "login", details: { by } });
    act.end({ code: "done" });
  } catch (error) {
    await undo(found).catch(() => undefined);
    throw error;
  }
  return found;
}
