import type { Logger } from "pino";
import { FormatRulesInput, Formats } from "../../../lib/contract/detection/format-rule.ts";
import { RulesPreview } from "../../../lib/contract/detection/rule-preview.ts";
import { FORMAT_NAMES, isSpoken } from "../../../lib/contract/format.ts";
import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { FormatRules } from "../../formats/format-rules.ts";
import { whileRedisAnswers } from "../../locks/verbs/explain-redis-failure.ts";
import type { RuleBook } from "../../watch/annotations/format-rule-store.ts";
import { previewRules } from "../../watch/annotations/rule-preview.ts";
import { tagged } from "../http/etag.ts";
import { json } from "../http/http-exchange.ts";
import { FORMATS, RULES_PREVIEW } from "../openapi/examples/targets.ts";
import { assertUp } from "../routing/assert-connected.ts";
import { type Route, targetRoute } from "../routing/route.ts";

/** What formats there are, and which keys are said to be of which. */
export function formatRoutes(log: Logger): Route[] {
  return [
    targetRoute({
      method: "GET",
      path: "/formats",
      operationId: "listFormats",
      tag: "Targets",
      access: "read",
      summary: "The formats that are known, and the rules that say which keys are of which",
      response: {
        status: 200,
        schema: Formats,
        example: FORMATS,
        description: "Formats and rules.",
        etag: true,
      },
      handle: ({ target }) => tagged(formatsOf(target.rules)),
    }),
    targetRoute({
      method: "PUT",
      path: "/formats/rules",
      operationId: "replaceFormatRules",
      tag: "Targets",
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
        action: "format-rules",
        details: { before: rules.listed, after: body.rules },
      }),
      handle: async ({ target: { name, rules, watcher }, body, principal }) => {
        const before = rules.listed;
        await rules.replace(body.rules);
        watcher.useRules(rules.rules);
        const after = rules.listed;
        log.warn({ by: principal.name, target: name, before, after }, "the rules for formats were replaced");
        return json(200, formatsOf(rules));
      },
    }),
    targetRoute({
      method: "POST",
      path: "/formats/rules/preview",
      operationId: "previewFormatRules",
      tag: "Targets",
      effect: "reads",
      access: "admin",
      summary: "What rules would change, before they are put in place",
      description:
        "Compares the rules with those that hold now, and changes nothing. Held locks of which they say something else are looked at in Redis as they would be read then, 2000 at most; and 20 000 keys, for a second at most, are gone through for such as would be locks by these rules alone. The body is that of `PUT /formats/rules`.",
      body: FormatRulesInput,
      examples: { "One rule": { rules: [{ pattern: "order-*", format: "redlock-net" }] } },
      response: {
        status: 200,
        schema: RulesPreview,
        example: RULES_PREVIEW,
        description: "What would be read differently.",
      },
      handle: async ({ target: { watcher, masters, rules }, body }) => {
        assertUp(watcher);
        const around = {
          holds: watcher.mirror,
          masters: masters.list,
          watch: watcher.options.watch,
          isWatched: (key: Key) => watcher.isWatched(key),
          readBy: (key: Key, by: FormatRules) => watcher.readBy(key, by),
        };
        const preview = () => previewRules(around, rules.rules, rules.with(body.rules));
        return json(200, await whileRedisAnswers(preview, "Nothing was compared, and nothing is changed."));
      },
    }),
  ];
}

function formatsOf(rules: RuleBook): Formats {
  const formats = FORMAT_NAMES.map((name) => ({ name, spoken: isSpoken(name), ...FORMAT_FACTS[name] }));
  return { formats, rules: rules.listed };
}
