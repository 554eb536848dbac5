import type { z } from "zod";
import type { Access } from "../../../lib/contract/access.ts";
import type { ErrorCode } from "../../../lib/contract/error.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { Principal } from "../../auth/principal.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import type { TargetHoldRef } from "../../formats/hold-id.ts";
import type { AuditFacts } from "../../history/audit/audit.ts";
import type { VerbCall } from "../../stats/verb-call.ts";
import type { Target } from "../../targets/target.ts";
import type { TargetConnector } from "../../targets/target-connector.ts";
import type { CpuBudget } from "../http/cpu-budgets.ts";
import type { ApiRequest, ApiResponse } from "../http/http-exchange.ts";
import type { Tag } from "./tags.ts";

/** An authenticated, authorized and validated call. */
export interface RouteCall<Query, Body> {
  readonly request: ApiRequest;
  readonly principal: Principal;
  /** The key in the path or in its `holdId`, or an empty string if the path has neither. */
  readonly key: Key;
  /** The `{id}` in the path, or an empty string if the path has none. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** The Idempotency-Key of the request. `undefined` if there is none or the route does not accept one. */
  readonly requestId: string | undefined;
  /** The `x-request-id` of the response, which is also written to the log and the audit log. */
  readonly responseId: string;
  /** The CPU budget of the caller for expensive reads. Unlimited if the route is not `expensive`. */
  readonly cpu: CpuBudget;
  /**
   * Resolves to whether the caller is still authorized for the route, or to `true` if this cannot be determined. Called
   * repeatedly while a stream is open.
   *
   * @param accepts an additional condition on the caller with its current access
   */
  readonly isStillAuthorized: (accepts?: (principal: Principal) => boolean) => Promise<boolean>;
}

/** A call for one configured target, which Lockkeeper might not have reached yet. */
export interface ConnectorCall<Query, Body> extends RouteCall<Query, Body> {
  readonly connector: TargetConnector;
}

/** A call for one target: the target that the request names, or the first configured target by default. */
export interface TargetCall<Query, Body> extends RouteCall<Query, Body> {
  readonly target: Target;
}

/** A call for one hold. `target` and `key` come from the `holdId`. */
export interface HoldCall<Query, Body> extends TargetCall<Query, Body> {
  readonly hold: TargetHoldRef;
}

/** The declaration of a successful response. */
export interface SuccessResponse {
  readonly status: 200 | 201 | 202 | 204;
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Example of the body. Required if there is a schema. */
  readonly example?: unknown;
  /** Media type of the body. Defaults to `application/json`. */
  readonly mediaType?: string;
  /** Example bodies in the other media types that a request can select, by media type. */
  readonly texts?: Readonly<Record<string, string>>;
  /**
   * For a stream of server-sent events, the name of the schema for the data of all messages. `messages` contains a
   * declaration for each event name.
   */
  readonly stream?: string;
  readonly messages?: Readonly<Record<string, StreamMessage>>;
  /** Set if the response has an ETag and the route supports 304. */
  readonly etag?: true;
  /** Headers in addition to the headers of every response, with their descriptions. */
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
}

/** The declaration of the `data` of a server-sent event. */
export interface StreamMessage {
  readonly description: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
}

/** Error codes that every route with access to the home store can return. */
export const HOME_ERRORS = ["unavailable", "unknown_outcome"] as const satisfies readonly ErrorCode[];

/**
 * The declaration of a route. The route table, the checks of the dispatcher, the types of the handler and the OpenAPI
 * document are all derived from this declaration.
 */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below /api/v1. `{key}`, `{id}`, `{holdId}` and `{target}` match one segment. */
  readonly path: string;
  /** Name of the operation in generated clients: a verb and a noun, such as `acquireLock`. Must never change. */
  readonly operationId: string;
  readonly tag: Tag;
  /** Description of `{id}` in the path. */
  readonly idParam?: { readonly description: string; readonly example: string };
  /**
   * What the route applies to. `server`: the whole server. `target`: one target, which is named in the path, the
   * `{holdId}` or the query, and defaults to the first configured target. `connector`: one target, which Lockkeeper
   * might not have reached yet.
   */
  readonly scope: "server" | "target" | "connector";
  /**
   * Whether the route only reads data from the target (`reads`) or can change the data (`writes`). A `writes` route is
   * refused if the target is read-only.
   */
  readonly effect: "reads" | "writes";
  /** Access that the route requires. `anyone` means that no credentials are required. */
  readonly access: Access | "anyone";
  /**
   * Set if callers with access to only some keys are allowed to call the route. The handler then uses only the keys to
   * which the caller has access.
   */
  readonly filtersByGrant?: true;
  /**
   * Set if the cost of the route grows with the number of locks or events. The dispatcher refuses callers that have no
   * CPU time left, and charges the CPU time of the synchronous part of the handler. The handler charges later work to
   * `call.cpu`. Never set on routes that run a lock verb, such as acquire or renew.
   */
  readonly expensive?: true;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Example request bodies in the OpenAPI document, by description. */
  readonly examples?: Readonly<Record<string, object>>;
  /** Schema of the request headers that the handler reads. Used only in the OpenAPI document. */
  readonly headers?: z.ZodObject;
  /** Maximum size of the request body in bytes, if it differs from the default. */
  readonly bodyBytesMax?: number;
  /**
   * Where the route stores Idempotency-Keys. `by_lock`: next to the lock. `by_answer`: in the home store, with the
   * response. `undefined` if the route does not accept an Idempotency-Key.
   */
  readonly idempotent?: "by_lock" | "by_answer";
  readonly response: SuccessResponse;
  /** An alternative to `response` with a different status. The request body determines which response is sent. */
  readonly otherResponse?: SuccessResponse;
  /**
   * Error codes of this route, in addition to the codes that follow from the rest of its declaration
   * (`listErrorCodes`).
   */
  readonly errors?: readonly ErrorCode[];
  /**
   * Returns the facts about a call for statistics and traces. Set only on routes that run a lock verb, such as acquire
   * or renew.
   */
  readonly verb?: (call: AnyCall) => VerbCall;
  /**
   * Set on audited changes that callers without admin access can make of what is theirs. They have a rate limit, because
   * a caller could otherwise evict all other entries of the audit log, even with requests that change nothing.
   */
  readonly isOwnChange?: true;
  /**
   * Returns the facts to record in the audit log. The intent is recorded before the handler runs, and the outcome
   * afterwards. If the intent cannot be recorded, the handler does not run. `by_handler`: the handler records its
   * actions with `services.audit`.
   */
  readonly audit?: ((call: AnyCall) => AuditFacts) | "by_handler";
  readonly handle: (call: AnyCall) => Promise<ApiResponse> | ApiResponse;
}

/**
 * A call to any route, as the dispatcher creates it. `target`, `connector` and `hold` are set only if the route has
 * them.
 */
export interface AnyCall extends RouteCall<unknown, unknown> {
  readonly target: Target | undefined;
  readonly connector: TargetConnector | undefined;
  readonly hold: TargetHoldRef | undefined;
}

interface RouteDeclaration<Query extends z.ZodObject, Body extends z.ZodType, Given>
  extends Omit<Route, "scope" | "effect" | "query" | "body" | "verb" | "audit" | "handle"> {
  /** Defaults to `reads` for GET and to `writes` for all other methods. */
  readonly effect?: Route["effect"];
  readonly query?: Query;
  readonly body?: Body;
  readonly verb?: (call: Given) => VerbCall;
  readonly audit?: ((call: Given) => AuditFacts) | "by_handler";
  readonly handle: (call: Given) => Promise<ApiResponse> | ApiResponse;
}

/** Defines a route for the whole server. The types of `query` and `body` in the handler follow from the schemas. */
export function defineRoute<Query extends z.ZodObject, Body extends z.ZodType>(
  declared: RouteDeclaration<Query, Body, RouteCall<z.output<Query>, z.output<Body>>>,
): Route {
  // The cast is safe, because the dispatcher passes only input that the schemas of the route have parsed.
  return { ...declared, scope: "server", effect: "reads" } as unknown as Route;
}

/** Defines a route for one target. */
export function defineTargetRoute<Query extends z.ZodObject, Body extends z.ZodType>(
  declared: RouteDeclaration<Query, Body, TargetCall<z.output<Query>, z.output<Body>>>,
): Route {
  const effect = declared.effect ?? (declared.method === "GET" ? "reads" : "writes");
  // The dispatcher adds the target.
  return { ...declared, scope: "target", effect } as unknown as Route;
}

/** Defines a route for one hold, with `{holdId}` in its path. */
export function defineHoldRoute<Query extends z.ZodObject, Body extends z.ZodType>(
  declared: RouteDeclaration<Query, Body, HoldCall<z.output<Query>, z.output<Body>>>,
): Route {
  const effect = declared.effect ?? (declared.method === "GET" ? "reads" : "writes");
  // The dispatcher adds the target and the hold.
  return { ...declared, scope: "target", effect } as unknown as Route;
}

/** Defines a route for one configured target, which Lockkeeper might not have reached yet. */
export function defineConnectorRoute<Query extends z.ZodObject, Body extends z.ZodType>(
  declared: RouteDeclaration<Query, Body, ConnectorCall<z.output<Query>, z.output<Body>>>,
): Route {
  return { ...declared, scope: "connector", effect: "reads" } as unknown as Route;
}

interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** Converts an issue to field errors. Each unknown field has its own error. */
function toFieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code !== "unrecognized_keys") return [{ field: issue.path.join("."), message: issue.message }];
  return issue.keys.map((key) => ({
    field: [...issue.path, key].join("."),
    message: "is not a known field",
  }));
}

/** Parses input with a schema. @throws LockkeeperError invalid, which lists up to 10 invalid fields */
export function parseInput<Output>(schema: z.ZodType<Output>, value: unknown, what: string): Output {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.flatMap(toFieldErrors).slice(0, 10);
  const [first] = errors;
  const where = first === undefined || first.field === "" ? what : `${what}, ${first.field}`;
  throw new InvalidError(`${where}: ${first?.message ?? "not valid"}.`, { errors });
}
