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

/** A call that has passed: who may, what was asked, all checked. */
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
  /** `x-request-id` of the answer: the log and the audit have it. */
  readonly responseId: string;
  /** What the caller has left for expensive reads. Unlimited on routes that are not `expensive`. */
  readonly cpu: CpuBudget;
  /** Asked again while a stream is open: whether this very call would still be let in. */
  readonly isStillAuthorized: () => Promise<boolean>;
}

/** A call about one target, be it reached or not. */
export interface ConnectorCall<Query, Body> extends RouteCall<Query, Body> {
  readonly connector: TargetConnector;
}

/** A call about one target: the one that the query names, or the first. */
export interface TargetCall<Query, Body> extends RouteCall<Query, Body> {
  readonly target: Target;
}

/** A call about one hold, and the target that its `holdId` names. `key` is the key of the hold. */
export interface HoldCall<Query, Body> extends TargetCall<Query, Body> {
  readonly hold: TargetHoldRef;
}

/** What a call that went well answers. */
export interface SuccessResponse {
  readonly status: 200 | 201 | 202 | 204;
  readonly description: string;
  readonly schema?: z.ZodType;
  /** An answer as it may come; wherever there is a schema. */
  readonly example?: unknown;
  /** `application/json`, if nothing is said. */
  readonly mediaType?: string;
  /** What it answers in another type instead, when that is asked for: each a text with its example. */
  readonly texts?: Readonly<Record<string, string>>;
  /** It returns server-sent events: the name of the schema of their data. `messages` has them by event name. */
  readonly stream?: string;
  readonly messages?: Readonly<Record<string, StreamMessage>>;
  /** It has a tag, and is 304 where the caller has it already. */
  readonly etag?: true;
  /** Headers besides those that every answer has, with what they say. */
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
}

/** What stands in `data` of a server-sent event, as JSON. */
export interface StreamMessage {
  readonly description: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
}

/** Of routes that ask the home store. */
export const HOME_ERRORS = ["unavailable", "unknown_outcome"] as const satisfies readonly ErrorCode[];

/** One declaration a route: matching, checks, types and the OpenAPI document all come from it. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below /api/v1; `{key}`, `{id}`, `{holdId}` and `{target}` stand for one segment. */
  readonly path: string;
  /** What a generated client calls it: a verb and a noun, such as `acquireLock`; never changed, for clients are built on it. */
  readonly operationId: string;
  readonly tag: Tag;
  /** What `{id}` in the path is. */
  readonly idParam?: { readonly description: string; readonly example: string };
  /**
   * What it is about: the server as a whole; a target, which is named in the path, by the `{holdId}` in it, or by
   * `target=` in the query; or
   * (`keeper`) a target that may not have been reached yet.
   */
  readonly scope: "server" | "target" | "keeper";
  /** `writes`: may change something at the target, and so is refused where that is only read. */
  readonly effect: "reads" | "writes";
  /** `anyone`: needs no credentials. */
  readonly access: Access | "anyone";
  /** Whoever is granted some of the target's keys may call it: the handler shows no others (`keysFor`). */
  readonly filtersByGrant?: true;
  /**
   * Its cost grows with the number of locks or events. The dispatcher refuses a caller without processor time left, and
   * charges the synchronous part of the handler; the handler charges the rest to `call.cpu`. Never set on a verb.
   */
  readonly expensive?: true;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Bodies that the document shows, by what they are for. */
  readonly examples?: Readonly<Record<string, object>>;
  /** Headers that its handler reads, as the document says them. */
  readonly headers?: z.ZodObject;
  /** Where the body may be larger than others are. */
  readonly bodyBytesMax?: number;
  /** Takes an Idempotency-Key: locks remember it themselves; of anything else the answer is stored. */
  readonly idempotent?: "by_lock" | "by_answer";
  readonly response: SuccessResponse;
  /** What it answers with another status when the body asks for something else. */
  readonly otherResponse?: SuccessResponse;
  /** Its own; those that any route of its kind has (`errorsOf`) go without saying. */
  readonly errors?: readonly ErrorCode[];
  /** Of a verb: what is counted, timed and traced of a call. */
  readonly verb?: (call: AnyCall) => VerbCall;
  /**
   * What is recorded before the handler runs; what came of it is recorded after. Should the record fail, the handler
   * does not run. `by_handler`: it records what it does itself, by `services.audit`.
   */
  readonly audit?: ((call: AnyCall) => AuditFacts) | "by_handler";
  readonly handle: (call: AnyCall) => Promise<ApiResponse> | ApiResponse;
}

/** As the dispatcher makes it: with a target where the route is about one. */
export interface AnyCall extends RouteCall<unknown, unknown> {
  readonly target: Target | undefined;
  readonly connector: TargetConnector | undefined;
  readonly hold: TargetHoldRef | undefined;
}

interface RouteDeclaration<Query extends z.ZodObject, Body extends z.ZodType, Given>
  extends Omit<Route, "scope" | "effect" | "query" | "body" | "verb" | "audit" | "handle"> {
  /** Of a route about a target; whatever is not a GET writes, if nothing is said. */
  readonly effect?: Route["effect"];
  readonly query?: Query;
  readonly body?: Body;
  readonly verb?: (call: Given) => VerbCall;
  readonly audit?: ((call: Given) => AuditFacts) | "by_handler";
  readonly handle: (call: Given) => Promise<ApiResponse> | ApiResponse;
}

/** Gives the handler the types of its own schemas. */
export function defineRoute<Query extends z.ZodObject, Body extends z.ZodType>(
  declared: RouteDeclaration<Query, Body, RouteCall<z.output<Query>, z.output<Body>>>,
): Route {
  // The dispatcher hands a handler only what its own schemas have parsed.
  return { ...declared, scope: "server", effect: "reads" } as unknown as Route;
}

/** A route about one target. */
export function defineTargetRoute<Query extends z.ZodObject, Body extends z.ZodType>(
  declared: RouteDeclaration<Query, Body, TargetCall<z.output<Query>, z.output<Body>>>,
): Route {
  const effect = declared.effect ?? (declared.method === "GET" ? "reads" : "writes");
  // The dispatcher hands it a target besides.
  return { ...declared, scope: "target", effect } as unknown as Route;
}

/** A route about one hold, whose path has a `{holdId}`. */
export function defineHoldRoute<Query extends z.ZodObject, Body extends z.ZodType>(
  declared: RouteDeclaration<Query, Body, HoldCall<z.output<Query>, z.output<Body>>>,
): Route {
  const effect = declared.effect ?? (declared.method === "GET" ? "reads" : "writes");
  // The dispatcher hands it a target and a hold besides.
  return { ...declared, scope: "target", effect } as unknown as Route;
}

/** A route about one target as it is configured, be it reached or not. */
export function defineConnectorRoute<Query extends z.ZodObject, Body extends z.ZodType>(
  declared: RouteDeclaration<Query, Body, ConnectorCall<z.output<Query>, z.output<Body>>>,
): Route {
  return { ...declared, scope: "keeper", effect: "reads" } as unknown as Route;
}

interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** An unknown field is named, not the object that it is in. */
function toFieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code !== "unrecognized_keys") return [{ field: issue.path.join("."), message: issue.message }];
  return issue.keys.map((key) => ({
    field: [...issue.path, key].join("."),
    message: "is not a known field",
  }));
}

/** @throws LockkeeperError invalid, naming each field that is wrong */
export function parseInput<Output>(schema: z.ZodType<Output>, value: unknown, what: string): Output {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.flatMap(toFieldErrors).slice(0, 10);
  const [first] = errors;
  const where = first === undefined || first.field === "" ? what : `${what}, ${first.field}`;
  throw new InvalidError(`${where}: ${first?.message ?? "not valid"}.`, { errors });
}
