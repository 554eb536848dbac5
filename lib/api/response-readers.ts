import { z } from "zod";
import { ApiKey, ApiKeyList, CreatedApiKey } from "@/lib/contract/accounts/api-key.ts";
import { AppConnectionInfo, AppConnectionUrl } from "@/lib/contract/accounts/app-connection.ts";
import { Operator, OperatorList } from "@/lib/contract/accounts/operator.ts";
import { BrowserSessionList, Session } from "@/lib/contract/accounts/session.ts";
import { BulkLine } from "@/lib/contract/actions/bulk-release.ts";
import { Extended } from "@/lib/contract/actions/extend.ts";
import { ForceReleased } from "@/lib/contract/actions/force-release.ts";
import { NoteResult } from "@/lib/contract/actions/note.ts";
import { AuditPage, AuditVerification } from "@/lib/contract/audit.ts";
import { Formats } from "@/lib/contract/detection/format-rule.ts";
import { FinderReport } from "@/lib/contract/detection/lock-finder.ts";
import { RulePreview } from "@/lib/contract/detection/rule-preview.ts";
import { Problem } from "@/lib/contract/error.ts";
import { History } from "@/lib/contract/event.ts";
import { Facets } from "@/lib/contract/facet.ts";
import { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import { LockList } from "@/lib/contract/list.ts";
import { Lock } from "@/lib/contract/lock.ts";
import { NamespaceList } from "@/lib/contract/namespace.ts";
import { OwnerList } from "@/lib/contract/owner.ts";
import { RawLock } from "@/lib/contract/raw-lock.ts";
import { Stats, TypicalTimes } from "@/lib/contract/stats.ts";
import { TargetHealth, TargetList } from "@/lib/contract/target.ts";
import { ViewList } from "@/lib/contract/view.ts";
import { LockWaiters } from "@/lib/contract/waiters.ts";
import { Waits } from "@/lib/contract/waits/waits.ts";

// Disables zod's code generation, because the content security policy of the page blocks generated code.
z.config({ jitless: true });

export const readApiKeys = (json: unknown) => ApiKeyList.parse(json);
export const readApiKey = (json: unknown) => ApiKey.parse(json);
export const readCreatedApiKey = (json: unknown) => CreatedApiKey.parse(json);
export const readAppConnection = (json: unknown) => AppConnectionInfo.parse(json);
export const readAppConnectionUrl = (json: unknown) => AppConnectionUrl.parse(json);
export const readOperators = (json: unknown) => OperatorList.parse(json);
export const readOperator = (json: unknown) => Operator.parse(json);
export const readBrowserSessions = (json: unknown) => BrowserSessionList.parse(json);
export const readAuditPage = (json: unknown) => AuditPage.parse(json);
export const readAuditVerification = (json: unknown) => AuditVerification.parse(json);
export const readSession = (json: unknown) => Session.parse(json);
export const readHistory = (json: unknown) => History.parse(json);
export const readFormats = (json: unknown) => Formats.parse(json);
export const readRulesPreview = (json: unknown) => RulePreview.parse(json);
export const readStats = (json: unknown) => Stats.parse(json);
export const readRawLock = (json: unknown) => RawLock.parse(json);
export const readLocks = (json: unknown) => LockList.parse(json);
export const readWaiters = (json: unknown) => LockWaiters.parse(json);
export const readWaits = (json: unknown) => Waits.parse(json);
export const readTypicalDurations = (json: unknown) => TypicalTimes.parse(json);
export const readTargets = (json: unknown) => TargetList.parse(json);
export const readTargetHealth = (json: unknown) => TargetHealth.parse(json);
/** Parses one line of the response to a bulk release. @throws if the line is invalid */
export const readBulkLine = (text: string): BulkLine => BulkLine.parse(JSON.parse(text));
export const readFacets = (json: unknown) => Facets.parse(json);
export const readNamespaces = (json: unknown) => NamespaceList.parse(json);
export const readViews = (json: unknown) => ViewList.parse(json);
export const readOwners = (json: unknown) => OwnerList.parse(json);
export const readFinderReport = (json: unknown) => FinderReport.parse(json);
export const readExtended = (json: unknown) => Extended.parse(json);
export const readSavedNote = (json: unknown) => NoteResult.parse(json);
export const readReleaseRequest = (json: unknown) => ReleaseRequest.parse(json);
export const readForceReleased = (json: unknown) => ForceReleased.parse(json);

export function readProblem(json: unknown): Problem | undefined {
  return Problem.safeParse(json).data;
}

/**
 * Reads the current lock from a problem, such as `changed` or `unverified`. Returns `undefined` if the problem contains
 * no valid lock.
 */
export function readLockFact(problem: Problem): Lock | undefined {
  return Lock.safeParse(problem.lock).data;
}
