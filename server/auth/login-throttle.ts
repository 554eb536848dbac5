import { z } from "zod";
import { RateLimitedError } from "../errors/request-errors.ts";
import { OURS_AT_HOME } from "../formats/keys.ts";
import type { Home } from "../home/home-store.ts";
import { networkOf } from "../network/client-address.ts";
import { Script } from "../redis/script.ts";
import { hashOf } from "./secret.ts";

const Reply = z.union([
  z.tuple([z.literal("wait"), z.coerce.number()]),
  z.tuple([z.enum(["known", "stranger"])]),
]);
type Place = "known" | "stranger";

const throttleScript = new Script<
  [string, string, string, string],
  [string, string, string],
  z.infer<typeof Reply>
>(new URL("login-throttle.lua", import.meta.url), (reply) => Reply.parse(reply));

/** A try that may be made; `passed` tells that its password was right. */
export interface LoginTry {
  passed(): Promise<void>;
}

/**
 * Slows down who guesses passwords: by name, by address, and by both together, with pauses that grow. In the home
 * store, so restarts and further instances are no way around. No pause lasts for longer than a quarter of an hour, and
 * a one-time link needs none of it.
 */
export class LoginThrottle {
  constructor(private readonly home: Home) {}

  /** @throws LockkeeperError rate_limited, unavailable, unknown_outcome */
  async begin(name: string, remoteAddress: string | undefined): Promise<LoginTry> {
    const address = networkOf(remoteAddress ?? "");
    const [place, waitMs = 0] = await this.#run("try", name, address, "");
    if (place === "wait") {
      const seconds = Math.ceil(waitMs / 1000);
      throw new RateLimitedError(
        `Too many passwords were tried. Try again in ${seconds} s, or log in with a one-time link (\`npm run login\`).`,
        { remainingMs: waitMs },
      );
    }
    return { passed: async () => void (await this.#run("right", name, address, place)) };
  }

  #run(what: "try" | "right", name: string, address: string, place: Place | "") {
    // Names and addresses are what strangers send: of one length, and in no key as they are.
    const at = (kind: string, text: string) => `${OURS_AT_HOME}tries:${kind}:${hashOf(text).slice(0, 32)}`;
    return this.home.run((redis) =>
      throttleScript.run(
        redis,
        [
          at("both", `${name}\n${address}`),
          at("name", name),
          at("address", address),
          `${OURS_AT_HOME}known-at:${hashOf(name).slice(0, 32)}`,
        ],
        [what, address, place],
      ),
    );
  }
}
