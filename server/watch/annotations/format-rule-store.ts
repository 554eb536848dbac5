import {
  type FormatRule,
  FormatRulesInput,
  type ListedRule,
} from "../../../lib/contract/detection/format-rule.ts";
import { FormatRules } from "../../formats/format-rules.ts";
import { HOME_PREFIX } from "../../formats/keys.ts";
import type { HomeStore } from "../../home/home-store.ts";

interface FormatRuleStoreDeps {
  readonly home: HomeStore;
  readonly target: string;
  /** Rules from the configuration. They take precedence over rules set through the API. */
  readonly configuredRules: readonly FormatRule[];
  /** Patterns of the keys that clients may acquire through the API. */
  readonly lockable?: readonly string[];
}

/**
 * The format rules of a target: the configured rules, followed by the rules set through the API. The home store
 * contains only the rules set through the API.
 */
export class FormatRuleStore {
  #storedRules: readonly FormatRule[] = [];
  #emitLoaded: () => void = () => undefined;
  readonly #redisKey: string;

  private constructor(private readonly deps: FormatRuleStoreDeps) {
    this.#redisKey = `${HOME_PREFIX}format-rules:${deps.target}`;
  }

  /**
   * Opens the store, even if the home store is unreachable. Until the home store is reached, only the configured rules
   * apply.
   */
  static async open(deps: FormatRuleStoreDeps): Promise<FormatRuleStore> {
    const store = new FormatRuleStore(deps);
    await deps.home.whenAvailable(async () => {
      store.#storedRules = parseRules(await deps.home.run((redis) => redis.get(store.#redisKey)));
      store.#emitLoaded();
    });
    // Restores the rules after the home store has lost its data.
    deps.home.onEmptied(async () => {
      if (store.#storedRules.length > 0) await store.#write(store.#storedRules);
    });
    return store;
  }

  /**
   * Sets the listener for a delayed load of the stored rules. If the home store is unreachable during `open`, the rules
   * are loaded later, and the listener is called then.
   */
  onLoaded(listener: () => void): void {
    this.#emitLoaded = listener;
  }

  /** The rules set through the API. */
  get storedRules(): readonly FormatRule[] {
    return this.#storedRules;
  }

  get listedRules(): ListedRule[] {
    return [
      ...this.deps.configuredRules.map((rule) => ({ ...rule, from: "configuration" as const })),
      ...this.#storedRules.map((rule) => ({ ...rule, from: "api" as const })),
    ];
  }

  get rules(): FormatRules {
    return this.buildRulesWith(this.#storedRules);
  }

  /** Returns the rules that would apply if `rules` replaced all rules set through the API. */
  buildRulesWith(rules: readonly FormatRule[]): FormatRules {
    return new FormatRules([...this.deps.configuredRules, ...rules], this.deps.lockable);
  }

  /**
   * Replaces all rules set through the API.
   *
   * @throws LockkeeperError unavailable, unknown_outcome
   */
  async replace(rules: readonly FormatRule[]): Promise<void> {
    await this.#write(rules);
    this.#storedRules = rules;
  }

  async #write(rules: readonly FormatRule[]): Promise<void> {
    await this.deps.home.run((redis) => redis.set(this.#redisKey, JSON.stringify({ rules })));
  }
}

/**
 * Parses stored rules. Returns an empty list if the text is missing or invalid, because other clients can write to the
 * home store.
 */
function parseRules(text: string | null): readonly FormatRule[] {
  try {
    return FormatRulesInput.parse(JSON.parse(text ?? "")).rules;
  } catch {
    return [];
  }
}
