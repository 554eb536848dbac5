import type { LiveHello, LiveMessage } from "../../../lib/contract/live.ts";
import { accessesAt, accessesEverywhere, type Principal } from "../../auth/principal.ts";
import type { TargetKeeper } from "../../targets/target-connector.ts";
import type { Sink } from "../http/http-exchange.ts";
import { sse } from "../http/sse.ts";

const EVERY_MS = 1000;

/** What a page says of its target. */
export function targetHelloOf({ settings, address, target }: TargetKeeper): LiveHello["target"] {
  const { name, label, environment, policy } = settings;
  return {
    ...{ name, label, address },
    ...(environment === undefined ? {} : { environment }),
    server: target?.server ?? null,
    readOnly: policy.readOnly,
  };
}

/** Whom the page is shown to, and what of it they may do. */
export function operatorOf(principal: Principal, { name: target }: TargetKeeper): LiveHello["operator"] {
  return {
    name: principal.name,
    may: accessesAt(principal, target),
    mayEverywhere: accessesEverywhere(principal),
  };
}

/** A tab that looks at a target that has not been reached: it is told why, and comes back as soon as it has been. */
export function tellUnreached(id: string, sink: Sink, principal: Principal, keeper: TargetKeeper): void {
  const say = ({ name, data }: LiveMessage) => sink.write(sse(name, data));
  const { watch, lockable } = keeper.settings.policy;
  const page = { operator: operatorOf(principal, keeper), target: targetHelloOf(keeper) };
  say({
    name: "hello",
    data: { stream: id, now: Date.now(), ...page, watch: [...watch], lockable: [...lockable] },
  });
  const beat = () => say({ name: "health", data: healthOf(keeper) });
  beat();
  const timer = setInterval(beat, EVERY_MS);
  const forget = keeper.onOpen(() => sink.end());
  sink.onClose(() => {
    clearInterval(timer);
    forget();
  });
}

function healthOf({ reason }: TargetKeeper): Extract<LiveMessage, { name: "health" }>["data"] {
  const unknown = {
    lagMs: null,
    scannedAt: null,
    scanMs: null,
    locks: 0,
    waiting: 0,
    abnormal: 0,
    missed: { found: 0, gone: 0, changed: 0, lastAt: null },
    masters: [],
  };
  return { now: Date.now(), state: "down", notifications: "off", ...unknown, detail: reason };
}
