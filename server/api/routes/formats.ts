import type { Logger } from "pino";
import { FormatRulesInput, Formats } from "../../../lib/contract/detection/format-rule.ts";
import { RulePreview } from "../../../lib/contract/detection/rule-preview.ts";
import { FORMAT_NAMES, isWritableFormat } from "../../../lib/contract/format.ts";
import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { FormatRules } from "../../formats/format-rules.ts";
import { explainRedisFailure } from "../../locks/verbs/explain-redis-failure.ts";
import type { FormatRuleStore } from "../../watch/annotations/format-rule-store.ts";
import { previewRules } from "../../watch/annotations/rule-preview.ts";
import { createTaggedResponse } from "../http/etag.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { FORMATS, RULES_PREVIEW } from "../openapi/examples/targets.ts";
import { assertConnected } from "../routing/assert-connected.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

/** What formats there are, and which keys are said to be of which. */
export function createFormatRoutes(log: Logger): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/formats",
      operationId: "listFormats",
      tag: "Formats",
      access: "read",
      summary: "The formats that are known, and the rules that say which keys are of which",
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
      // They are kept in the home store.
      effect: "reads",
      access: "admin",
      summary: "Say which keys are of which format",
      description:
        "Takes the place of all rules but those of the configuration, which come first. Where several libraries write the same, a rule settles which one it is: its locks are `certain` from then on, and are freed as that library would. All locks are read again. Only keys that are watched are listed.",
      body: FormatRulesInput,
      examples: {
        "Two libraries that write UUIDs": {
          rules: [
            { pattern: "order-*", format: "redlock-net" },
            { pattern: "app:*", format: "spring" },
          ],
        },
        "No rules": { rules: [] },
      },
      response: {
        status: 200,
        schema: Formats,
        example: FORMATS,
        description: "Formats, and the rules from now on.",
      },
      errors: ["unknown_outcome"],
      audit: ({ target: { rules }, body }) => ({
        action: "replace_format_rules",
        details: { before: rules.listedRules, after: body.rules },
      }),
      handle: async ({ target: { name, rules, watcher }, body, principal }) => {
        const before = rules.listedRules;
        await rules.replace(body.rules);
        watcher.setFormatRules(rules.rules);
        const after = rules.listedRules;
        log.warn({ by: principal.name, target: name, before, after }, "the rules for formats were replaced");
        return createJsonResponse(200, listFormats(rules));
      },
    }),
    defineTargetRoute({
      method: "POST",
      path: "/formats/rules/preview",
      operationId: "previewFormatRules",
      tag: "Formats",
      effect: "reads",
      access: "admin",
      summary: "What rules would change, before they are put in place",
      description:
        "Compares the rules with those that hold now, and changes nothing. Held locks of which they say something else are looked at in Redis as they would be read then, 2000 at most; and 20 000 keys, for a second at most, are gone through for such as would be locks by these rules alone. The body is that of `PUT /formats/rules`.",
      body: FormatRulesInput,
      examples: { "One rule": { rules: [{ pattern: "order-*", format: "redlock-net" }] } },
      response: {
        status: 200,
        schema: RulePreview,
        example: RULES_PREVIEW,
        description: "What would be read differently.",
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
          await explainRedisFailure(preview, "Nothing was compared, and nothing is changed."),
        );
      },
    }),
  ];
}

function listFormats(rules: FormatRuleStore): Formats {
  const formats = FORMAT_NAMES.map((name) => ({
    name,
    spoken: isWritableFormat(name),
    ...FORMAT_FACTS[name],
  }));
  return { formats, rules: rules.listedRules };
}
