import type { Key } from "../../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { Script, toRedisArgument } from "../../redis/script.ts";
import type { Reservation } from "../lock-requests.ts";
import { buildReleaseSignals, runOrRetryWithout } from "../release-signals.ts";

/** Delay of the wake-up in ms. Redis may expire the key slightly later than its TTL states. */
const EXPIRY_DELAY_MS = 50;

/** Wakes waiters if the reservation has ended. Otherwise returns the remaining time of the reservation in ms. */
const wakeScript = new Script<RedisArgument[], RedisArgument[], number | undefined>(
  new URL("wake.lua", import.meta.url),
  (reply) => (Array.isArray(reply) && reply[0] === "reserved" ? Number(reply[1]) : undefined),
);

/**
 * Schedules signals to the waiters of every library for the time at which a reservation of a string lock expires,
 * because Redis publishes nothing on the libraries' channels on expiry. The signals are sent only if this process is
 * still running and connected at that time.
 */
export function signalReservationEnd(redis: Commands, key: Key, reservation: Reservation): void {
  const { keys, messages } = buildReleaseSignals(redis, key);
  if (keys.length === 0 && messages.length === 0) return;
  const wake = async () => {
    const run = (list: readonly RedisArgument[]) =>
      wakeScript.run(redis, [toRedisArgument(key), ...list], [reservation.owner, ...messages]);
    const leftMs = await runOrRetryWithout(run, keys).catch(() => undefined);
    if (leftMs !== undefined && leftMs >= 0) schedule(leftMs);
  };
  const schedule = (ms: number) => setTimeout(() => void wake(), ms + EXPIRY_DELAY_MS).unref();
  schedule(reservation.reservedMs);
}
