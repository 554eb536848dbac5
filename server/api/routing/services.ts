import type { ApiKeys } from "../../auth/api-keys.ts";
import type { LoginLinks } from "../../auth/login-link.ts";
import type { Operators } from "../../auth/operators.ts";
import type { PasswordLogin } from "../../auth/password-login.ts";
import type { SavedViews } from "../../auth/saved-views.ts";
import type { Sessions } from "../../auth/sessions.ts";
import type { Audit } from "../../history/audit/audit.ts";
import type { AuditStore } from "../../history/audit/audit-store.ts";
import type { HoldQuotas } from "../../quotas/hold-quotas.ts";
import type { EmbeddedRedis } from "../../redis/embedded/embedded-redis.ts";
import type { VerbObserver } from "../../stats/verb-observer.ts";
import type { Targets } from "../../targets/targets.ts";
import type { RateLimits } from "../http/rate-limits.ts";
import type { OpenStreams } from "../http/sse.ts";
import type { LiveStreams } from "../live/live-streams.ts";
import type { PendingRequests } from "./pending-requests.ts";
import type { RequestAuthenticator } from "./request-authenticator.ts";
import type { StoredResponses } from "./stored-responses.ts";

/**
 * The dependencies of the routes. Dependencies that belong to a target are not included, because the target is passed
 * with each call.
 */
export interface Services {
  readonly targets: Targets;
  readonly sessions: Sessions;
  readonly loginLinks: LoginLinks;
  readonly passwordLogin: PasswordLogin;
  readonly operators: Operators;
  readonly apiKeys: ApiKeys;
  readonly savedViews: SavedViews;
  readonly authentication: RequestAuthenticator;
  readonly live: LiveStreams;
  readonly streams: OpenStreams;
  readonly pendingRequests: PendingRequests;
  readonly limits: RateLimits;
  readonly quotas: HoldQuotas;
  readonly storedResponses: StoredResponses;
  readonly verbs: VerbObserver;
  readonly audit: Audit;
  readonly auditStore: AuditStore;
  /** The embedded Redis. `undefined` if it is not a target that applications can use. */
  readonly embeddedTarget: Pick<EmbeddedRedis, "app" | "appUrl"> | undefined;
}
