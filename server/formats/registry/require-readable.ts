import { UnavailableError } from "../../errors/redis-errors.ts";
import type { Observation, ReadableObservation } from "../observation.ts";

/**
 * Returns the observation if the key could be read.
 *
 * @throws LockkeeperError `unavailable` if the key could not be read, or if there is no observation
 */
export function requireReadable(observation: Observation | undefined): ReadableObservation {
  if (observation !== undefined && observation.state !== "unreadable") return observation;
  const why = observation?.why ?? "no answer";
  throw new UnavailableError(`This key cannot be read: ${why}. Nothing was done.`);
}
