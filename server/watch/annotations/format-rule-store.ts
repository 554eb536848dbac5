import {
  type FormatRule,
  FormatRulesInput,
  type ListedRule,
} from "../../../lib/contract/detection/format-rule.ts";
import { ChangedError } from "../../errors/operator-errors.ts";
import { UnknownOutcomeError } from "../../errors/redis-errors.ts";
import { FormatRules } from "../../formats/format-rules.ts";
import { HOME_PREFIX } from "../../formats/keys.ts";
import type { HomeStore } from "../../home/home-store.ts";
import { Script } from "../../redis/script.ts";

interface FormatRuleStoreDeps {
  readonly home: HomeStore;
  readonly target: string;
  /** Rules from the configuration. They take precedence over rules set through the API. */
  readonly configuredRules: readonly FormatRule[];
  /** Patterns of the keys that clients may acquire through the API. */
  readonly lockable?: readonly string[];
}

const POLL_INTERVAL_MS = 2000;

const writeScript = new Script<[string], [before: string, after: string, isRetry: "0" | "1"], string>(
  new URL("format-rules-write.lua", import.meta.url),
  (reply) => String(reply),
);

/**
 * The format rules of a target: the configured rules, followed by the rules set through the API. The home store
 * contains only the rules set through the API. Every instance reads changes by other instances within seconds.
 */
export class FormatRuleStore {
  #storedRules: readonly FormatRule[] = [];
  /** The stored text of these rules; `null` if none were ever stored. */
  #storedText: string | null = null;
  #stopPolling: () => void = () => undefined;
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
    await deps.home.whenAvailable(() => store.#read((command) => deps.home.run(command)));
    // Restores the rules after the home store has lost its data, unless another instance has already done so.
    deps.home.onEmptied(async () => {
      const text = store.#storedText;
      if (text !== null) await deps.home.run((redis) => redis.set(store.#redisKey, text, "NX"));
    });
    store.#stopPolling = deps.home.startPolling(POLL_INTERVAL_MS, () =>
      store.#read((command) => deps.home.callOnce(command)),
    );
    return store;
  }

  close(): void {
    this.#stopPolling();
  }

  /**
   * Sets the listener that is called when the stored rules are loaded after `open`, or another instance has changed
   * them.
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
   * Reads the stored rules, so that they include the latest change by another instance.
   *
   * @throws LockkeeperError unavailable, unknown_outcome
   */
  async refresh(): Promise<void> {
    await this.deps.home.ensureRestored();
    await this.#read((command) => this.deps.home.run(command));
  }

  /**
   * Replaces all rules set through the API.
   *
   * @param expected the value of `storedRules` that the caller has read
   *
   * @throws LockkeeperError `changed` if another change has replaced the expected rules; unavailable, unknown_outcome
   */
  async replace(expected: readonly FormatRule[], rules: readonly FormatRule[]): Promise<void> {
    const text = JSON.stringify({ rules });
    const outcome =
      expected === this.#storedRules ? await this.#write(this.#storedText ?? "", text) : "changed";
    if (outcome === "changed")
      throw new ChangedError("Another change has replaced the format rules. Nothing was changed.", {});
    if (outcome !== "written") {
      throw new UnknownOutcomeError(
        "Redis did not reply in time, and another change was made since. These rules may have been in effect before it. Read the rules.",
      );
    }
    this.#storedText = text;
    this.#storedRules = rules;
  }

  /** Writes the stored text if it is still `before`. Returns the outcome, as in format-rules-write.lua. */
  async #write(before: string, after: string): Promise<string> {
    let isRetry: "0" | "1" = "0";
    return await this.deps.home.run((redis) => {
      const written = writeScript.run(redis, [this.#redisKey], [before, after, isRetry]);
      isRetry = "1";
      return written;
    });
  }

  async #read(call: HomeStore["callOnce"]): Promise<void> {
    const before = this.#storedText;
    const text = await call((redis) => redis.get(this.#redisKey));
    // A replacement during the call may not be part of the reply.
    if (this.#storedText === before) this.#apply(text);
  }

  /** Applies the stored text. A missing text means that the home store has lost its data, so the rules are kept. */
  #apply(text: string | null): void {
    if (text === null || text === this.#storedText) return;
    this.#storedText = text;
    this.#storedRules = parseRules(text);
    this.#emitLoaded();
  }
}

/** Parses stored rules. Returns an empty list if the text is invalid, because other clients can write to the home store. */
function parseRules(text: string): readonly FormatRule[] {
  try {
    return FormatRulesInput.parse(JSON.parse(text)).rules;
  } catch {
    return [];
  }
}
