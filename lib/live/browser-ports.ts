import type { LiveView } from "@/lib/contract/live.ts";
import { API_BASE, type TargetName } from "../api/request.ts";
import { changeView, checkStreamAccess } from "../api/session-endpoints.ts";
import { MESSAGE_NAMES } from "./message-names.ts";
import type { StreamMode, StreamPorts, StreamSource } from "./stream-ports.ts";

/**
 * Loads the message reader. The reader is separate from the other schemas, because the first rows of the page cannot be
 * shown without it.
 */
const loadMessageReader = () => import("./message-reader.ts");
type MessageReader = Awaited<ReturnType<typeof loadMessageReader>>;
// Starts loading the reader before hydration. If the load fails, the reader is loaded again when it is needed, and the
// error is reported then.
if (typeof window !== "undefined") loadMessageReader().catch(() => undefined);

/** Creates `StreamPorts` that use the browser's APIs. */
export function createBrowserPorts(target: TargetName): StreamPorts {
  return {
    open: openStream,
    url: (view, mode) => buildLiveUrl(view, mode, target),
    acquireSlot: acquireStreamSlot,
    changeView,
    checkAccess: () => checkStreamAccess(target),
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

function buildLiveUrl(view: LiveView, mode: StreamMode, target: TargetName): string {
  const query = new URLSearchParams({ mode });
  for (const [name, value] of Object.entries(view)) {
    if (value !== undefined) query.set(name, String(value));
  }
  if (target !== undefined) query.set("target", target);
  return `${API_BASE}/live?${query}`;
}

/**
 * Maximum number of tabs per browser that keep a stream open. A browser opens at most six HTTP/1.1 connections per
 * host. Additional tabs poll, so that connections remain available for other requests.
 */
const STREAM_SLOTS = 4;

const doNothing = () => undefined;

const acquireStreamSlot: StreamPorts["acquireSlot"] = (onChange) => {
  // Browsers provide the Web Locks API only with TLS or on localhost. Without this API, every tab has a stream.
  const { locks } = navigator;
  if (locks === undefined) {
    onChange(true);
    return doNothing;
  }
  let leave: () => void = doNothing;
  let isWanted = true;
  const left = new Promise<void>((resolve) => {
    leave = () => {
      isWanted = false;
      resolve();
    };
  });
  const ask = async (place: number): Promise<void> => {
    if (!isWanted) return;
    if (place === STREAM_SLOTS) return onChange(false);
    const wasFree = await locks.request(`lockkeeper-stream-${place}`, { ifAvailable: true }, async (lock) => {
      if (lock === null || !isWanted) return lock !== null;
      onChange(true);
      await left;
      return true;
    });
    if (!wasFree) await ask(place + 1);
  };
  void ask(0).catch(() => isWanted && onChange(true));
  return leave;
};

const openStream: StreamPorts["open"] = (url, on) => {
  const source = new EventSource(url);
  let isClosed = false;
  // Connects while the message reader is loading. Messages that arrive before are queued in order.
  const wire = loadMessageReader();
  const whenRead = (onReader: (wire: MessageReader) => void) =>
    void wire.then(
      (loaded) => isClosed || onReader(loaded),
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
  } satisfies StreamSource;
};
