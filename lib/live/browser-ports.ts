import type { LiveView } from "@/lib/contract/live.ts";
import { changeView, checkSession } from "../api/endpoints.ts";
import { BASE, type TargetName } from "../api/request.ts";
import { MESSAGE_NAMES } from "./message-names.ts";
import type { Carry, Source, StreamPorts } from "./stream-ports.ts";

/** By itself: the first rows wait for it, and not for the schemas of all that can be asked. */
const loadLiveWire = () => import("./message-reader.ts");
type LiveWire = Awaited<ReturnType<typeof loadLiveWire>>;
// It is on its way before the page is awake. Whoever needs it asks again, and says so if it failed.
if (typeof window !== "undefined") loadLiveWire().catch(() => undefined);

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

function liveUrl(view: LiveView, carry: Carry, target: TargetName): string {
  const query = new URLSearchParams({ carry });
  for (const [name, value] of Object.entries(view)) {
    if (value !== undefined) query.set(name, String(value));
  }
  if (target !== undefined) query.set("target", target);
  return `${BASE}/live?${query}`;
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
  const source = new EventSource(url);
  let isClosed = false;
  // It connects while what reads its messages is on its way; those that come first wait for that, in their order.
  const wire = loadLiveWire();
  const whenRead = (tell: (wire: LiveWire) => void) =>
    void wire.then(
      (loaded) => isClosed || tell(loaded),
      () => isClosed || on.error(),
    );
  for (const name of MESSAGE_NAMES) {
    source.addEventListener(name, ({ data }) =>
      whenRead(({ readMessage }) => on.message(readMessage(name, data))),
    );
  }
  source.addEventListener("error", () => whenRead(() => on.error()));
  whenRead(() => undefined);
  return {
    close() {
      isClosed = true;
      source.close();
    },
  } satisfies Source;
};
