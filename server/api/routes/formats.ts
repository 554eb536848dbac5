import type { Logger } from "pino";
import { type FormatRule, FormatRulesInput, Formats } from "../../../lib/contract/detection/format-rule.ts";
import { RulePreview } from "../../../lib/contract/detection/rule-preview.ts";
import { FORMAT_NAMES, isWritableFormat } from "../../../lib/contract/format.ts";
import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { ChangedError } from "../../errors/operator-errors.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import type { FormatRules } from "../../formats/format-rules.ts";
import type { Audit } from "../../history/audit/audit.ts";
import { describeReplacement } from "../../history/audit/describe-change.ts";
import { explainRedisFailure } from "../../operator/explain-redis-failure.ts";
import type { FormatRuleStore } from "../../watch/annotations/format-rule-store.ts";
import { previewRules } from "../../watch/annotations/rule-preview.ts";
import { createTaggedResponse } from "../http/etag.ts";
import { type ApiResponse, createJsonResponse } from "../http/http-exchange.ts";
import { FORMATS, RULES_PREVIEW } from "../openapi/examples/targets.ts";
import { assertConnected } from "../routing/assert-connected.ts";
import { runAudited, toAuditedCall } from "../routing/auditing.ts";
import { defineTargetRoute, type Route, type TargetCall } from "../routing/route.ts";
import type { Services } from "../routing/services.ts";

/** Maximum number of attempts to replace the rules while other changes are made first. */
const ATTEMPTS_MAX = 10;

/** Creates the routes for lock formats and for the rules that assign them to keys. */
export function createFormatRoutes({ audit }: Services, log: Logger): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/formats",
      operationId: "listFormats",
      tag: "Formats",
      access: "read",
      summary: "List formats and format rules",
      description: "Lists the formats that Lockkeeper recognizes, and the rules that assign formats to keys.",
      response: {
        status: 200,
        schema: Formats,
        example: FORMATS,
        description: "Formats and rules.",
        etag: true,
      },
      handle: ({ target }) => createTaggedResponse(listFormats(target.rules)),
    }),
    defineTargetRoute({
      method: "PUT",
      path: "/formats/rules",
      operationId: "replaceFormatRules",
      tag: "Formats",
      // The request does not change the target, because rules are stored in the home store.
      effect: "reads",
      access: "admin",
      summary: "Replace the format rules",
      description:
        "Replaces all rules except those of the configuration, which apply first. A rule decides between formats that look the same in Redis: matching locks become `certain` and are force-released as that library would release them. All locks are read again. Rules do not change which keys are watched.",
      body: FormatRulesInput,
      examples: {
        "Assign formats to two key patterns": {
          rules: [
            { pattern: "order-*", format: "redlock-net" },
            { pattern: "app:*", format: "spring" },
          ],
        },
        "Remove all rules": { rules: [] },
      },
      response: {
        status: 200,
        schema: Formats,
        example: FORMATS,
        description: "Formats and the new rules.",
      },
      errors: ["unknown_outcome"],
      audit: "by_handler",
      handle: (call) => replaceRulesAudited(call, audit, log),
    }),
    defineTargetRoute({
      method: "POST",
      path: "/formats/rules/preview",
      operationId: "previewFormatRules",
      tag: "Formats",
      effect: "reads",
      access: "admin",
      summary: "Preview format rules",
      description:
        "Returns the keys that the given rules would interpret differently from the current ones. Changes nothing. Reads at most 2,000 affected locks, and scans other keys for at most 1 s or 20,000 keys to find locks that only the new rules recognize.",
      body: FormatRulesInput,
      examples: { "One rule": { rules: [{ pattern: "order-*", format: "redlock-net" }] } },
      response: {
        status: 200,
        schema: RulePreview,
        example: RULES_PREVIEW,
        description: "Changes in interpretation.",
      },
      handle: async ({ target: { watcher, masters, rules }, body }) => {
        assertConnected(watcher);
        const deps = {
          holds: watcher.index,
          masters: masters.list,
          watch: watcher.options.watch,
          isWatched: (key: Key) => watcher.isWatched(key),
          readKeyWithRules: (key: Key, by: FormatRules) => watcher.readKeyWithRules(key, by),
        };
        const preview = () => previewRules(deps, rules.rules, rules.buildRulesWith(body.rules));
        return createJsonResponse(
          200,
          await explainRedisFailure(preview, "The rules could not be compared. Nothing was changed."),
        );
      },
    }),
  ];
}

type ReplaceCall = TargetCall<unknown, FormatRulesInput>;

/**
 * Replaces the rules in an audited action. Repeats the action if another change was made first, because the audit entry
 * must contain the rules that this call replaces.
 *
 * @throws LockkeeperError unavailable, unknown_outcome, or invalid if the details are too long
 */
async function replaceRulesAudited(call: ReplaceCall, audit: Audit, log: Logger): Promise<ApiResponse> {
  const { rules } = call.target;
  for (let left = ATTEMPTS_MAX; left > 0; left--) {
    await rules.refresh();
    const before = rules.storedRules;
    const details = describeReplacement(before, call.body.rules);
    const facts = { action: "replace_format_rules", details } as const;
    try {
      return await runAudited(audit, toAuditedCall(call), facts, () => replaceRules(call, before, log));
    } catch (error) {
      if (!(error instanceof ChangedError)) throw error;
    }
  }
  throw new UnavailableError(
    "Too many concurrent changes of format rules. Nothing was changed. Retry later.",
  );
}

async function replaceRules(
  { target: { name, rules, watcher }, body, principal }: ReplaceCall,
  expected: readonly FormatRule[],
  log: Logger,
): Promise<ApiResponse> {
  const before = rules.listedRules;
  await rules.replace(expected, body.rules);
  watcher.setFormatRules(rules.rules);
  const after = rules.listedRules;
  log.warn({ by: principal.name, target: name, before, after }, "format rules replaced");
  return createJsonResponse(200, listFormats(rules));
}

function listFormats(rules: FormatRuleStore): Formats {
  const formats = FORMAT_NAMES.map((name) => ({
    name,
    spoken: isWritableFormat(name),
    ...FORMAT_FACTS[name],
  }));
  return { formats, rules: rules.listedRules };
}
