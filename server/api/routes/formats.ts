import type { Logger } from "pino";
import { FORMAT_NAMES, isSpoken } from "../../../lib/contract/format.ts";
import { FORMAT_FACTS } from "../../../lib/contract/format-facts.ts";
import { FormatRulesInput, Formats } from "../../../lib/contract/format-rule.ts";
import type { RuleBook } from "../../watch/rule-book.ts";
import { tagged } from "../etag.ts";
import { FORMATS } from "../examples/targets.ts";
import { json } from "../http.ts";
import { type Route, targetRoute } from "../route.ts";

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
  ];
}

function formatsOf(rules: RuleBook): Formats {
  const formats = FORMAT_NAMES.map((name) => ({ name, spoken: isSpoken(name), ...FORMAT_FACTS[name] }));
  return { formats, rules: rules.listed };
}
