import { changeView, checkSession, liveUrl } from "./api.ts";
import { loadWire, type TargetName } from "./request.ts";
import type { Source, StreamPorts } from "./stream-ports.ts";

/** The real browser behind `StreamPorts`. */
export function browserPorts(target: TargetName): StreamPorts {
  return {
    open,
    url: (view, carry) => liveUrl(view, carry, target),
    takePlace,
    changeView,
    checkSession,
    timer(run, afterMs) {
      const timer = setTimeout(run, afterMs);
      return () => clearTimeout(timer);
    },
    random: Math.random,
    page: {
      hidden: () => document.visibilityState === "hidden",
      onChange(listener) {
        document.addEventListener("visibilitychange", listener);
        return () => document.removeEventListener("visibilitychange", listener);
      },
    },
  };
}

/**
 * A browser opens six connections to a host, for all of its tabs together. Those beyond these ask again and again, so
 * that pages and clicks always find a connection that is free.
 */
const PLACES = 4;

const nothing = () => undefined;

const takePlace: StreamPorts["takePlace"] = (told) => {
  // Not there without TLS, but on this machine: then every tab keeps a connection open.
  const { locks } = navigator;
  if (locks === undefined) {
    told(true);
    return nothing;
  }
  let leave: () => void = nothing;
  let isWanted = true;
  const left = new Promise<void>((resolve) => {
    leave = () => {
      isWanted = false;
      resolve();
    };
  });
  const ask = async (place: number): Promise<void> => {
    if (!isWanted) return;
    if (place === PLACES) return told(false);
    const wasFree = await locks.request(`lockkeeper-stream-${place}`, { ifAvailable: true }, async (lock) => {
      if (lock === null || !isWanted) return lock !== null;
      told(true);
      await left;
      return true;
    });
    if (!wasFree) await ask(place + 1);
  };
  void ask(0).catch(() => isWanted && told(true));
  return leave;
};

const open: StreamPorts["open"] = (url, on) => {
  let source: EventSource | undefined;
  let closed = false;
  loadWire().then((wire) => {
    if (closed) return;
    source = new EventSource(url);
    for (const name of wire.MESSAGE_NAMES) {
      source.addEventListener(name, (event) => on.message(wire.readMessage(name, event.data)));
    }
    source.addEventListener("error", on.error);
  }, on.error);
  return {
    close() {
      closed = true;
      source?.close();
    },
  } satisfies Source;
};
