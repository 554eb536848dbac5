import {
  type FormatRule,
  FormatRulesInput,
  type ListedRule,
} from "../../../lib/contract/detection/format-rule.ts";
import { FormatRules } from "../../formats/format-rules.ts";
import { OURS_AT_HOME } from "../../formats/keys.ts";
import type { Home } from "../../home/home-store.ts";

interface Parts {
  readonly home: Home;
  readonly target: string;
  /** Of the configuration: they come first. */
  readonly given: readonly FormatRule[];
}

/** Which keys are of which format: as the configuration says, and then as admins said, which the home store keeps. */
export class RuleBook {
  #kept: readonly FormatRule[] = [];
  #loaded: () => void = () => undefined;
  readonly #key: string;

  private constructor(private readonly parts: Parts) {
    this.#key = `${OURS_AT_HOME}format-rules:${parts.target}`;
  }

  /** While the store is away the rules of the configuration are all there are. */
  static async open(parts: Parts): Promise<RuleBook> {
    const book = new RuleBook(parts);
    await parts.home.whenThere(async () => {
      book.#kept = rulesIn(await parts.home.run((redis) => redis.get(book.#key)));
      book.#loaded();
    });
    // What the store lost this process still knows.
    parts.home.onEmptied(async () => {
      if (book.#kept.length > 0) await book.#write(book.#kept);
    });
    return book;
  }

  /** Called when the rules came later, because the store was away. */
  onLoaded(listener: () => void): void {
    this.#loaded = listener;
  }

  get listed(): ListedRule[] {
    return [
      ...this.parts.given.map((rule) => ({ ...rule, from: "configuration" as const })),
      ...this.#kept.map((rule) => ({ ...rule, from: "api" as const })),
    ];
  }

  get rules(): FormatRules {
    return this.with(this.#kept);
  }

  /** As it would be if these took the place of all but those of the configuration. */
  with(rules: readonly FormatRule[]): FormatRules {
    return new FormatRules([...this.parts.given, ...rules]);
  }

  /** Takes the place of all rules but those of the configuration. @throws LockkeeperError unavailable, unknown_outcome */
  async replace(rules: readonly FormatRule[]): Promise<void> {
    await this.#write(rules);
    this.#kept = rules;
  }

  async #write(rules: readonly FormatRule[]): Promise<void> {
    await this.parts.home.run((redis) => redis.set(this.#key, JSON.stringify({ rules })));
  }
}

/** Anybody may have written there: what does not read as rules is none. */
function rulesIn(text: string | null): readonly FormatRule[] {
  try {
    return FormatRulesInput.parse(JSON.parse(text ?? "")).rules;
  } catch {
    return [];
  }
}
