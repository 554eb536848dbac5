import { StartupError } from "../errors/startup-error.ts";
import { EnvironmentVariables } from "./config-variables.ts";

type GivenVariables = Readonly<Record<string, string | undefined>>;

const SETTINGS = Object.keys(EnvironmentVariables.shape);
/**
 * Matches variables that are not settings of the server but may be set in the shell that starts it: variables of
 * clients, of commands under `lockkeeper run`, of tests and of benchmarks.
 */
const OTHER_NAMES =
  /^LOCKKEEPER_(?:URL|API_KEY|KEY|FENCE|HOLD_ID|LOCKS|HOLDING|SAMPLE_RUN|BUILD_BASE_PATH|BENCH_[A-Z0-9_]+|E2E_[A-Z0-9_]+)$/;
/** Matches names that start with Lockkeeper's prefix or with a common misspelling of the prefix. */
const OWN_PREFIX = /^LOCK_?K?EEPER_/i;
/**
 * Matches variables for a Service. Kubernetes sets them in every pod of a namespace. Some start with Lockkeeper's
 * prefix if the name of the Service starts with `lockkeeper`.
 */
const SERVICE_LINK = /_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_[A-Z]+)?)$/;
const SERVICE_LINK_URL = /^(?:tcp|udp|sctp):\/\//;
/** Maximum edit distance between a name and a suggested setting, as a fraction of the length of the name. */
const DIFFERENCE_MAX = 0.35;

/**
 * Returns the variables without those that Kubernetes sets for a Service whose name starts with `lockkeeper`, such as
 * `LOCKKEEPER_REDIS_PORT=tcp://10.0.0.1:6379`. Such a variable can have the same name as a setting.
 */
export function dropServiceLinks(given: GivenVariables): Record<string, string | undefined> {
  const isLink = (name: string, value = "") =>
    OWN_PREFIX.test(name) &&
    (SERVICE_LINK.test(name) || (name.endsWith("_PORT") && SERVICE_LINK_URL.test(value)));
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => !isLink(name, value)));
}

/**
 * Asserts that all variables with Lockkeeper's prefix are known, so that misspelled settings are not ignored. Known
 * variables are the settings, the variables in `referenced`, and the variables of clients, tests and benchmarks.
 *
 * @param referenced names that the configuration file references
 * @throws StartupError that names each unknown variable and the most similar setting, if one is similar enough
 */
export function assertKnownVariables(given: GivenVariables, referenced: ReadonlySet<string>): void {
  const known = new Set([...SETTINGS, ...referenced]);
  const unknown = Object.keys(given).filter(
    (name) => OWN_PREFIX.test(name) && !known.has(name) && !OTHER_NAMES.test(name),
  );
  if (unknown.length === 0) return;
  const named = unknown.sort().map((name) => {
    const nearest = findNearestSetting(name);
    return nearest === undefined ? name : `${name} (did you mean ${nearest}?)`;
  });
  const [are, them] = unknown.length === 1 ? ["is not a setting", "it"] : ["are not settings", "them"];
  throw new StartupError(`${named.join(", ")} ${are} of Lockkeeper. Correct or unset ${them}.`);
}

function findNearestSetting(name: string): string | undefined {
  const wanted = name.toUpperCase();
  const ranked = SETTINGS.filter((setting) => setting.startsWith("LOCKKEEPER_"))
    .map((setting) => ({ setting, distance: computeEditDistance(wanted, setting) }))
    .sort((a, b) => a.distance - b.distance);
  const [first] = ranked;
  const length = wanted.replace(OWN_PREFIX, "").length;
  return first !== undefined && first.distance <= Math.max(2, length * DIFFERENCE_MAX)
    ? first.setting
    : undefined;
}

/** Computes the number of insertions, deletions, replacements and swaps of adjacent characters between two names. */
function computeEditDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const now = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      now.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (now[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = now;
  }
  return last[to.length] ?? 0;
}
