import { z } from "zod";
import { RateLimitedError } from "../errors/request-errors.ts";
import { HOME_PREFIX } from "../formats/keys.ts";
import type { HomeStore } from "../home/home-store.ts";
import { getClientNetwork } from "../network/client-address.ts";
import { Script } from "../redis/script.ts";
import { hashSha256 } from "./secret.ts";

const ThrottleReply = z.union([
  z.tuple([z.literal("wait"), z.coerce.number()]),
  z.tuple([z.enum(["known", "stranger"])]),
]);
type AddressKind = "known" | "stranger";

const throttleScript = new Script<
  [string, string, string, string],
  [string, string, string],
  z.infer<typeof ThrottleReply>
>(new URL("login-throttle.lua", import.meta.url), (reply) => ThrottleReply.parse(reply));

/** A permitted login attempt. It counts as failed until `recordSuccess` is called. */
export interface LoginAttempt {
  recordSuccess(): Promise<void>;
}

/**
 * Limits password attempts per name, per address and per combination of name and address, with increasing delays of up
 * to 15 minutes. If the operator has logged in from the address before, only the limit per combination applies. The
 * state is in the home store, so the limits apply across restarts and instances. One-time links are not limited.
 */
export class LoginThrottle {
  constructor(private readonly home: HomeStore) {}

  /**
   * Counts a login attempt as started, or throws without counting it if the attempt must be delayed.
   *
   * @throws LockkeeperError rate_limited, unavailable, unknown_outcome
   */
  async startAttempt(name: string, remoteAddress: string | undefined): Promise<LoginAttempt> {
    const address = getClientNetwork(remoteAddress ?? "");
    const [place, waitMs = 0] = await this.#runScript("try", name, address, "");
    if (place === "wait") {
      const seconds = Math.ceil(waitMs / 1000);
      throw new RateLimitedError(
        `Too many failed attempts. Retry in ${seconds} s, or log in with a one-time link (\`lockkeeper login\`, or \`npm run login\` in a checkout).`,
        { remainingMs: waitMs },
      );
    }
    return { recordSuccess: async () => void (await this.#runScript("right", name, address, place)) };
  }

  #runScript(what: "try" | "right", name: string, address: string, place: AddressKind | "") {
    // The keys contain only hashes of names and addresses, because names and addresses are untrusted input.
    const at = (kind: string, text: string) => `${HOME_PREFIX}tries:${kind}:${hashSha256(text).slice(0, 32)}`;
    return this.home.run((redis) =>
      throttleScript.run(
        redis,
        [
          at("both", `${name}\n${address}`),
          at("name", name),
          at("address", address),
          `${HOME_PREFIX}known-at:${hashSha256(name).slice(0, 32)}`,
        ],
        [what, address, place],
      ),
    );
  }
}
