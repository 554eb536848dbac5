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
  /** Of the configuration: they come first. */
  readonly configuredRules: readonly FormatRule[];
  /** Patterns of the keys that the API may acquire. */
  readonly lockable?: readonly string[];
}

/** Which keys are of which format: as the configuration says, and then as admins said, which the home store keeps. */
export class FormatRuleStore {
  #storedRules: readonly FormatRule[] = [];
  #emitLoaded: () => void = () => undefined;
  readonly #redisKey: string;

  private constructor(private readonly deps: FormatRuleStoreDeps) {
    this.#redisKey = `${HOME_PREFIX}format-rules:${deps.target}`;
  }

  /** While the store is away the rules of the configuration are all there are. */
  static async open(deps: FormatRuleStoreDeps): Promise<FormatRuleStore> {
    const store = new FormatRuleStore(deps);
    await deps.home.whenAvailable(async () => {
      store.#storedRules = parseRules(await deps.home.run((redis) => redis.get(store.#redisKey)));
      store.#emitLoaded();
    });
    // What the store lost this process still knows.
    deps.home.onEmptied(async () => {
      if (store.#storedRules.length > 0) await store.#write(store.#storedRules);
    });
    return store;
  }

  /** Called when the rules came later, because the store was away. */
  onLoaded(listener: () => void): void {
    this.#emitLoaded = listener;
  }

  /** The rules that were set through the API. */
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

  /** As it would be if these took the place of all but those of the configuration. */
  buildRulesWith(rules: readonly FormatRule[]): FormatRules {
    return new FormatRules([...this.deps.configuredRules, ...rules], this.deps.lockable);
  }

  /** Takes the place of all rules but those of the configuration. @throws LockkeeperError unavailable, unknown_outcome */
  async replace(rules: readonly FormatRule[]): Promise<void> {
    await this.#write(rules);
    this.#storedRules = rules;
  }

  async #write(rules: readonly FormatRule[]): Promise<void> {
    await this.deps.home.run((redis) => redis.set(this.#redisKey, JSON.stringify({ rules })));
  }
}

/** Anybody may have written there: what does not read as rules is none. */
function parseRules(text: string | null): readonly FormatRule[] {
  try {
    return FormatRulesInput.parse(JSON.parse(text ?? "")).rules;
  } catch {
    return [];
  }
}
