import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { VIEWS_MAX } from "../../lib/contract/limits.ts";
import { View, type ViewInput } from "../../lib/contract/view.ts";
import { UnavailableError } from "../errors/redis-errors.ts";
import { ForbiddenError, InvalidError, NotFoundError } from "../errors/request-errors.ts";
import { HOME_PREFIX } from "../formats/keys.ts";
import type { HomeStore } from "../home/home-store.ts";
import type { RedisArgument } from "../redis/commands.ts";
import { Script } from "../redis/script.ts";
import { canAccess, type Principal } from "./principal.ts";

const TEAM = "team";
const TRIES_MAX = 20;
/** TTL in ms of the views of an API key, counted from their last change: one year. */
const API_KEY_VIEWS_TTL_MS = 365 * 24 * 60 * 60 * 1000;

const StoredView = View.omit({ of: true, mayChange: true }).extend({
  /** Id of the principal that saved the view last. */
  who: z.string(),
});
type StoredView = z.infer<typeof StoredView>;
type ViewsUpdate = (views: readonly StoredView[]) => readonly StoredView[];

const writeScript = new Script<[string], RedisArgument[], "written" | "changed">(
  new URL("view-write.lua", import.meta.url),
  (reply) => (String(reply) === "written" ? "written" : "changed"),
);

/**
 * The saved views of principals and of the team. The home store has one list for each principal and one for the team.
 * Views are not cached, so all instances return the same views. All methods reject with `unavailable` or
 * `unknown_outcome` if the store is unreachable.
 */
export class SavedViews {
  constructor(private readonly home: HomeStore) {}

  /** Lists the views of the principal, followed by the team views that the principal is allowed to read. */
  async list(principal: Principal): Promise<View[]> {
    const { own, team } = await this.#readVisible(principal);
    return [
      ...own.map((view) => toView(view, "me", principal)),
      ...team.map((view) => toView(view, "team", principal)),
    ];
  }

  /**
   * Creates or changes a view. If `of` has changed, moves the view between the principal's list and the team's list.
   *
   * @throws LockkeeperError forbidden, or invalid if the maximum number of views is reached
   */
  async save(id: string, { place, of, ...fields }: ViewInput, principal: Principal): Promise<void> {
    const view: StoredView = { id, ...fields, by: principal.name, who: principal.id };
    if (of === "team" && !canWriteTeamViews(principal)) {
      throw new ForbiddenError(
        `${principal.name} cannot save a team view: this requires \`force\` access to all keys of a target. Send \`of\`: "me" to save it as your own.`,
      );
    }
    if (of === "me") {
      const { own, team } = await this.#readVisible(principal);
      // Replacing a team view requires the permission to change it. Without this check, an own view could get the same
      // id as a team view.
      if (!own.some((each) => each.id === id)) assertCanChange(team, id, principal);
    }
    const others = of === "team" ? principal.id : TEAM;
    // Writes to the destination first, so that a failure between the two writes leaves two copies instead of none.
    await this.#update(of === "team" ? TEAM : principal.id, principal, (views) => {
      assertCanChange(views, id, principal);
      return placeView(views, view, place);
    });
    await this.#update(others, principal, (views) => {
      const there = views.find((each) => each.id === id);
      return there === undefined || !canChange(there, principal) ? views : removeView(views, id);
    });
  }

  /** Deletes a view. @throws LockkeeperError not_found, forbidden */
  async remove(id: string, principal: Principal): Promise<void> {
    const views = await this.list(principal);
    const found = views.find((each) => each.id === id);
    if (found === undefined) {
      throw new NotFoundError("There is no view with this id. GET /views lists the ids.");
    }
    await this.#update(found.of === "team" ? TEAM : principal.id, principal, (present) => {
      assertCanChange(present, id, principal);
      return removeView(present, id);
    });
  }

  /** Removes the views of a deleted principal, so that a later principal with the same name does not inherit them. */
  async removeAllOf(principalId: string): Promise<void> {
    await this.home.run((redis) => redis.del(buildViewsKey(principalId)));
  }

  async #readVisible(principal: Principal): Promise<Readonly<Record<"own" | "team", readonly StoredView[]>>> {
    const [own, team] = await this.home.run((redis) =>
      redis.mget(buildViewsKey(principal.id), buildViewsKey(TEAM)),
    );
    return { own: parseViews(own ?? ""), team: canReadTeamViews(principal) ? parseViews(team ?? "") : [] };
  }

  async #update(ownerId: string, principal: Principal, decide: ViewsUpdate): Promise<void> {
    const keptMs =
      ownerId !== TEAM && principal.kind === "key" && principal.id !== "root" ? API_KEY_VIEWS_TTL_MS : 0;
    for (let left = TRIES_MAX; left > 0; left--) {
      const before = (await this.home.run((redis) => redis.get(buildViewsKey(ownerId)))) ?? "";
      const views = parseViews(before);
      const wanted = decide(views);
      if (wanted === views) return;
      const after = wanted.length === 0 ? "" : JSON.stringify(wanted);
      const outcome = await this.home.run((redis) =>
        writeScript.run(redis, [buildViewsKey(ownerId)], [before, after, keptMs]),
      );
      if (outcome === "written") return;
      await sleep(Math.random() * 20);
    }
    throw new UnavailableError("Too many concurrent changes of views. Nothing was done. Retry later.");
  }
}

const buildViewsKey = (ownerId: string) => `${HOME_PREFIX}views:${ownerId}`;

/** Parses a stored list and omits invalid views. The next change to the list therefore removes them from the store. */
function parseViews(text: string): readonly StoredView[] {
  if (text === "") return [];
  const found = z.array(z.unknown()).safeParse(parseJson(text)).data ?? [];
  return found.flatMap((each) => StoredView.safeParse(each).data ?? []);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function placeView(views: readonly StoredView[], view: StoredView, place: number | undefined): StoredView[] {
  const at = views.findIndex(({ id }) => id === view.id);
  const others = views.filter(({ id }) => id !== view.id);
  if (others.length >= VIEWS_MAX) {
    throw new InvalidError(`The limit of ${VIEWS_MAX} views has been reached. Delete one first.`, {});
  }
  const to = place ?? (at < 0 ? others.length : at);
  return others.toSpliced(Math.min(to, others.length), 0, view);
}

const removeView = (views: readonly StoredView[], id: string) => views.filter((each) => each.id !== id);

function toView({ who, ...view }: StoredView, of: View["of"], principal: Principal): View {
  return { ...view, of, mayChange: of === "me" || canChange({ who }, principal) };
}

const canChange = ({ who }: Pick<StoredView, "who">, principal: Principal) =>
  who === principal.id || canAccess(principal, "admin", {});

/**
 * Asserts that the principal may change the view, if it exists.
 * @throws ForbiddenError
 */
function assertCanChange(views: readonly StoredView[], id: string, principal: Principal): void {
  const there = views.find((each) => each.id === id);
  if (there === undefined || canChange(there, principal)) return;
  throw new ForbiddenError(
    `This view was last saved by ${there.by}. Only they, or an administrator of all targets, can change or delete it.`,
  );
}

/**
 * Returns whether the principal may read team views. This requires read access to all keys of a target, because filters
 * can contain keys and owners.
 */
const canReadTeamViews = ({ grants }: Principal) =>
  grants.some(({ keys, accesses }) => keys === undefined && accesses.includes("read"));
const canWriteTeamViews = ({ grants }: Principal) =>
  grants.some(({ keys, accesses }) => keys === undefined && accesses.includes("force"));
