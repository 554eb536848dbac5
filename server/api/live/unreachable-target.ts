import type { LiveMessage } from "../../../lib/contract/live.ts";
import type { Principal } from "../../auth/principal.ts";
import type { TargetConnector } from "../../targets/target-connector.ts";
import type { ResponseSink } from "../http/http-exchange.ts";
import { formatSseEvent } from "../http/sse.ts";
import { toOperatorHello, toTargetHello } from "./hello.ts";

const HEALTH_INTERVAL_MS = 1000;

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
