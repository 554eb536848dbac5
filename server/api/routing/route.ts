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
  /** The key in the path; the empty string on routes without one. */
  readonly key: Key;
  /** The id in the path; the empty string on routes without one. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** The caller's Idempotency-Key. */
  readonly requestId: string | undefined;
  /** `x-request-id` of the response, also in the log and the audit log. */
  readonly responseId: string;
  /** CPU budget of the caller for expensive reads. Unlimited on routes that are not `expensive`. */
  readonly cpu: CpuBudget;
  /** Returns whether this call is still permitted. Checked while a stream is open. */
  readonly isStillAuthorized: () => Promise<boolean>;
}

/** A call for one target, which may not have been reached yet. */
export interface ConnectorCall<Query, Body> extends RouteCall<Query, Body> {
  readonly connector: TargetConnector;
}

/** A call for one target: the target in the query, or the first target by default. */
export interface TargetCall<Query, Body> extends RouteCall<Query, Body> {
  readonly target: Target;
}

/** A call for one hold, from whose `holdId` `target` and `key` are taken. */
export interface HoldCall<Query, Body> extends TargetCall<Query, Body> {
  readonly hold: TargetHoldRef;
}

/** A successful response. */
export interface SuccessResponse {
  readonly status: 200 | 201 | 202 | 204;
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Example of the response. Required if there is a schema. */
  readonly example?: unknown;
  /** Defaults to `application/json`. */
  readonly mediaType?: string;
  /** Examples of other media types that a request can select, by media type. */
  readonly texts?: Readonly<Record<string, string>>;
  /** For server-sent events: the name of the schema of their data. `messages` contains the schemas by event name. */
  readonly stream?: string;
  readonly messages?: Readonly<Record<string, StreamMessage>>;
  /** The response has an ETag and supports 304. */
  readonly etag?: true;
  /** Headers in addition to the headers of every response, with their descriptions. */
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
}

/** The `data` of a server-sent event. */
export interface StreamMessage {
  readonly description: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
}

/** Error codes of routes that use the home store. */
export const HOME_ERRORS = ["unavailable", "unknown_outcome"] as const satisfies readonly ErrorCode[];

/** The declaration of a route, from which matching, checks, types and the OpenAPI document are derived. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below /api/v1. `{key}`, `{id}`, `{holdId}` and `{target}` match one segment. */
  readonly path: string;
  /** Name in generated clients: a verb and a noun, such as `acquireLock`. It never changes. */
  readonly operationId: string;
  readonly tag: Tag;
  /** Description of `{id}` in the path. */
  readonly idParam?: { readonly description: string; readonly example: string };
  /**
   * `server`: applies to the whole server. `target`: applies to one target, named in the path, the `{holdId}` or the
   * query. `connector`: applies to a target that may not have been reached yet.
   */
  readonly scope: "server" | "target" | "connector";
  /** `writes`: may change the target, and is refused if the target is read-only. */
  readonly effect: "reads" | "writes";
  /** `anyone`: requires no credentials. */
  readonly access: Access | "anyone";
  /** Callers with access to only some keys may call the route. The handler returns only those keys. */
  readonly filtersByGrant?: true;
  /**
   * The cost of the route grows with the number of locks or events. The dispatcher refuses a caller without CPU time
   * left, and charges the synchronous part of the handler; the handler charges the rest to `call.cpu`. Never set on a
   * verb.
   */
  readonly expensive?: true;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Example bodies in the OpenAPI document, by description. */
  readonly examples?: Readonly<Record<string, object>>;
  /** Headers that the handler reads, for the OpenAPI document. */
  readonly headers?: z.ZodObject;
  /** Maximum size of the body, if it differs from the default. */
  readonly bodyBytesMax?: number;
  /** Accepts an Idempotency-Key. `by_lock`: the lock stores it. `by_answer`: the response is stored. */
  readonly idempotent?: "by_lock" | "by_answer";
  readonly response: SuccessResponse;
  /** An alternative response with a different status, which the request body selects. */
  readonly otherResponse?: SuccessResponse;
  /** Error codes in addition to the codes that all routes of the same kind have (`listErrorCodes`). */
  readonly errors?: readonly ErrorCode[];
  /** For verbs: the facts of a call for statistics and traces. */
  readonly verb?: (call: AnyCall) => VerbCall;
  /**
   * The audit record that is written before the handler runs; its outcome is recorded afterwards. If the record cannot
   * be written, the handler does not run. `by_handler`: the handler records its actions with `services.audit`.
   */
  readonly audit?: ((call: AnyCall) => AuditFacts) | "by_handler";
  readonly handle: (call: AnyCall) => Promise<ApiResponse> | ApiResponse;
}

/** A call as the dispatcher creates it, with a target if the route has one. */
export interface AnyCall extends RouteCall<unknown, unknown> {
  readonly target: Target | undefined;
  readonly connector: TargetConnector | undefined;
  readonly hold: TargetHoldRef | undefined;
}

interface RouteDeclaration<Query extends z.ZodObject, Body extends z.ZodType, Given>
  extends Omit<Route, "scope" | "effect" | "query" | "body" | "verb" | "audit" | "handle"> {
  /** Defaults to `reads` for GET and to `writes` for other methods. */
  readonly effect?: Route["effect"];
  readonly query?: Query;
  readonly body?: Body;
  readonly verb?: (call: Given) => VerbCall;
  readonly audit?: ((call: Given) => AuditFacts) | "by_handler";
  readonly handle: (call: Given) => Promise<ApiResponse> | ApiResponse;
}

/** Defines a route whose handler has the types of its schemas. */
export function defineRoute<Query extends z.ZodObject, Body extends z.ZodType>(
  declared: RouteDeclaration<Query, Body, RouteCall<z.output<Query>, z.output<Body>>>,
): Route {
  // The dispatcher only passes input that the route's own schemas have parsed.
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

/** Defines a route for one configured target, which may not have been reached yet. */
export function defineConnectorRoute<Query extends z.ZodObject, Body extends z.ZodType>(
  declared: RouteDeclaration<Query, Body, ConnectorCall<z.output<Query>, z.output<Body>>>,
): Route {
  return { ...declared, scope: "connector", effect: "reads" } as unknown as Route;
}

interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** Reports unknown fields by their own names. */
function toFieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code !== "unrecognized_keys") return [{ field: issue.path.join("."), message: issue.message }];
  return issue.keys.map((key) => ({
    field: [...issue.path, key].join("."),
    message: "is not a known field",
  }));
}

/** Parses input. @throws LockkeeperError invalid, with each invalid field */
export function parseInput<Output>(schema: z.ZodType<Output>, value: unknown, what: string): Output {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.flatMap(toFieldErrors).slice(0, 10);
  const [first] = errors;
  const where = first === undefined || first.field === "" ? what : `${what}, ${first.field}`;
  throw new InvalidError(`${where}: ${first?.message ?? "not valid"}.`, { errors });
}
