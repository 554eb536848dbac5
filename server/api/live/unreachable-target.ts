import type { LiveHello, LiveMessage } from "../../../lib/contract/live.ts";
import { getAccessesAt, getServerWideAccesses, type Principal } from "../../auth/principal.ts";
import type { TargetConnector } from "../../targets/target-connector.ts";
import type { ResponseSink } from "../http/http-exchange.ts";
import { formatSseEvent } from "../http/sse.ts";

const HEALTH_INTERVAL_MS = 1000;

/** Returns the fields of the `hello` message that describe the target. */
export function toTargetHello({ settings, address, target }: TargetConnector): LiveHello["target"] {
  const { name, label, environment, policy } = settings;
  return {
    ...{ name, label, address },
    ...(environment === undefined ? {} : { environment }),
    server: target?.server ?? null,
    readOnly: policy.readOnly,
  };
}

/** Returns the fields of the `hello` message that describe the caller and its access. */
export function toOperatorHello(
  principal: Principal,
  { name: target }: TargetConnector,
): LiveHello["operator"] {
  return {
    name: principal.name,
    may: getAccessesAt(principal, target),
    mayEverywhere: getServerWideAccesses(principal),
  };
}

/** Returns whether two principals have the same access, as far as the `hello` message states it. */
export function hasSameAccess(one: Principal, other: Principal, connector: TargetConnector): boolean {
  const [before, now] = [one, other].map((each) => JSON.stringify(toOperatorHello(each, connector)));
  return before === now;
}

/**
 * Serves a tab whose target has never been reached. Sends the reason in `health` messages, and ends the stream when
 * the target is opened, so that the tab reconnects.
 */
export function streamUnreachable(
  id: string,
  sink: ResponseSink,
  principal: Principal,
  connector: TargetConnector,
): void {
  const send = ({ name, data }: LiveMessage) => sink.write(formatSseEvent(name, data));
  const { watch, lockable } = connector.settings.policy;
  const page = { operator: toOperatorHello(principal, connector), target: toTargetHello(connector) };
  send({
    name: "hello",
    data: { stream: id, now: Date.now(), ...page, watch: [...watch], lockable: [...lockable] },
  });
  const sendHealth = () => send({ name: "health", data: toDownHealth(connector) });
  sendHealth();
  const timer = setInterval(sendHealth, HEALTH_INTERVAL_MS);
  const forget = connector.onOpen(() => sink.end());
  sink.onClose(() => {
    clearInterval(timer);
    forget();
  });
}

function toDownHealth({ reason }: TargetConnector): Extract<LiveMessage, { name: "health" }>["data"] {
  const unknown = {
    roundTripUs: null,
    scannedAt: null,
    scanMs: null,
    locks: 0,
    unlisted: 0,
    waiting: 0,
    needsAttention: 0,
    deadlocks: 0,
    missed: { found: 0, gone: 0, changed: 0, lastAt: null },
    masters: [],
  };
  return { now: Date.now(), state: "down", notifications: "off", ...unknown, detail: reason };
}
