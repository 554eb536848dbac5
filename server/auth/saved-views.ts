import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { VIEWS_MAX } from "../../lib/contract/limits.ts";
import { View, type ViewInput } from "../../lib/contract/view.ts";
import { UnavailableError } from "../errors/redis-errors.ts";
import { ForbiddenError, InvalidError, NotFoundError } from "../errors/request-errors.ts";
import { OURS_AT_HOME } from "../formats/keys.ts";
import type { Home } from "../home/home-store.ts";
import type { RedisArgument } from "../redis/commands.ts";
import { Script } from "../redis/script.ts";
import { may, type Principal } from "./principal.ts";

const TEAM = "team";
const TRIES_MAX = 20;
/** An API key has an end, and its views go a year after they were changed last. */
const KEPT_OF_KEYS_MS = 365 * 24 * 60 * 60 * 1000;

const Stored = View.omit({ of: true, mayChange: true }).extend({
  /** Id of who wrote it last. */
  who: z.string(),
});
type Stored = z.infer<typeof Stored>;
type Decide = (views: readonly Stored[]) => readonly Stored[];

const writeScript = new Script<[string], RedisArgument[], "written" | "changed">(
  new URL("view-write.lua", import.meta.url),
  (reply) => (String(reply) === "written" ? "written" : "changed"),
);

/**
 * Searches of the list of locks that people keep under a name: each their own, and the team's. In the home store, a list
 * each; nothing is remembered here, so all instances have the same. All reject with unavailable and unknown_outcome when
 * the store is away.
 */
export class SavedViews {
  constructor(private readonly home: Home) {}

  /** One's own, and then the team's. */
  async list(principal: Principal): Promise<View[]> {
    const { own, team } = await this.#seenBy(principal);
    return [
      ...own.map((view) => shown(view, "me", principal)),
      ...team.map((view) => shown(view, "team", principal)),
    ];
  }

  /**
   * Makes a view, or changes it; from one's own to the team's, and back.
   *
   * @throws LockkeeperError invalid: there are as many as may be, forbidden
   */
  async put(id: string, { place, of, ...fields }: ViewInput, principal: Principal): Promise<void> {
    const view: Stored = { id, ...fields, by: principal.name, who: principal.id };
    if (of === "team" && !writesTeam(principal)) {
      throw new ForbiddenError(
        `${principal.name} may not keep a view for the team: it needs \`force\` for all keys of a target. Keep it with \`of\`: me.`,
      );
    }
    if (of === "me") {
      const { own, team } = await this.#seenBy(principal);
      // Under one id there would be two.
      if (!own.some((each) => each.id === id)) assertMayChange(team, id, principal);
    }
    const others = of === "team" ? principal.id : TEAM;
    // First where it goes to: what fails in between leaves it twice, and not nowhere.
    await this.#change(of === "team" ? TEAM : principal.id, principal, (views) => {
      assertMayChange(views, id, principal);
      return placed(views, view, place);
    });
    await this.#change(others, principal, (views) => {
      const there = views.find((each) => each.id === id);
      return there === undefined || !mayChange(there, principal) ? views : without(views, id);
    });
  }

  /** @throws LockkeeperError not_found, forbidden */
  async remove(id: string, principal: Principal): Promise<void> {
    const views = await this.list(principal);
    const found = views.find((each) => each.id === id);
    if (found === undefined) {
      throw new NotFoundError("There is no view with this id; GET /views lists them.");
    }
    await this.#change(found.of === "team" ? TEAM : principal.id, principal, (present) => {
      assertMayChange(present, id, principal);
      return without(present, id);
    });
  }

  /** Of somebody who is gone: another one of that name is not to find them. */
  async forget(principalId: string): Promise<void> {
    await this.home.run((redis) => redis.del(keyOf(principalId)));
  }

  async #seenBy(principal: Principal): Promise<Readonly<Record<"own" | "team", readonly Stored[]>>> {
    const [own, team] = await this.home.run((redis) => redis.mget(keyOf(principal.id), keyOf(TEAM)));
    return { own: viewsIn(own ?? ""), team: seesTeam(principal) ? viewsIn(team ?? "") : [] };
  }

  async #change(whose: string, principal: Principal, decide: Decide): Promise<void> {
    const keptMs =
      whose !== TEAM && principal.kind === "key" && principal.id !== "root" ? KEPT_OF_KEYS_MS : 0;
    for (let left = TRIES_MAX; left > 0; left--) {
      const before = (await this.home.run((redis) => redis.get(keyOf(whose)))) ?? "";
      const views = viewsIn(before);
      const wanted = decide(views);
      if (wanted === views) return;
      const after = wanted.length === 0 ? "" : JSON.stringify(wanted);
      const outcome = await this.home.run((redis) =>
        writeScript.run(redis, [keyOf(whose)], [before, after, keptMs]),
      );
      if (outcome === "written") return;
      await sleep(Math.random() * 20);
    }
    throw new UnavailableError("Others change these views all the time. Nothing was done; try again.");
  }
}

const keyOf = (whose: string) => `${OURS_AT_HOME}views:${whose}`;

/** What cannot be understood is left out, and goes with the next change. */
function viewsIn(text: string): readonly Stored[] {
  if (text === "") return [];
  const found = z.array(z.unknown()).safeParse(parsed(text)).data ?? [];
  return found.flatMap((each) => Stored.safeParse(each).data ?? []);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function placed(views: readonly Stored[], view: Stored, place: number | undefined): Stored[] {
  const at = views.findIndex(({ id }) => id === view.id);
  const others = views.filter(({ id }) => id !== view.id);
  if (others.length >= VIEWS_MAX) {
    throw new InvalidError(
      `There are ${VIEWS_MAX} views, which is as many as may be. Take one away first.`,
      {},
    );
  }
  const to = place ?? (at < 0 ? others.length : at);
  return others.toSpliced(Math.min(to, others.length), 0, view);
}

const without = (views: readonly Stored[], id: string) => views.filter((each) => each.id !== id);

function shown({ who, ...view }: Stored, of: View["of"], principal: Principal): View {
  return { ...view, of, mayChange: of === "me" || mayChange({ who }, principal) };
}

const mayChange = ({ who }: Pick<Stored, "who">, principal: Principal) =>
  who === principal.id || may(principal, "admin", {});

/** @throws ForbiddenError */
function assertMayChange(views: readonly Stored[], id: string, principal: Principal): void {
  const there = views.find((each) => each.id === id);
  if (there === undefined || mayChange(there, principal)) return;
  throw new ForbiddenError(
    `This view is ${there.by}'s. Only they, or an admin of everything, may change it or take it away.`,
  );
}

/** A search names keys and owners: who is granted some keys alone does not read it. */
const seesTeam = ({ grants }: Principal) =>
  grants.some(({ keys, accesses }) => keys === undefined && accesses.includes("read"));
const writesTeam = ({ grants }: Principal) =>
  grants.some(({ keys, accesses }) => keys === undefined && accesses.includes("force"));
