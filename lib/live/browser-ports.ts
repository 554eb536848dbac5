import type { LiveView } from "@/lib/contract/live.ts";
import { API_BASE, type TargetName } from "../api/request.ts";
import { changeView, checkSession } from "../api/session-endpoints.ts";
import { MESSAGE_NAMES } from "./message-names.ts";
import type { StreamMode, StreamPorts, StreamSource } from "./stream-ports.ts";

/** Loads the reader separately from the other schemas, because the first rows wait for the reader. */
const loadMessageReader = () => import("./message-reader.ts");
type MessageReader = Awaited<ReturnType<typeof loadMessageReader>>;
// Starts loading before hydration. If this fails, the module is loaded again when it is needed, which reports the
// error.
if (typeof window !== "undefined") loadMessageReader().catch(() => undefined);

/** Creates the `StreamPorts` of a browser. */
export function createBrowserPorts(target: TargetName): StreamPorts {
  return {
    open: openStream,
    url: (view, mode) => buildLiveUrl(view, mode, target),
    acquireSlot: acquireStreamSlot,
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

function buildLiveUrl(view: LiveView, mode: StreamMode, target: TargetName): string {
  const query = new URLSearchParams({ mode });
  for (const [name, value] of Object.entries(view)) {
    if (value !== undefined) query.set(name, String(value));
  }
  if (target !== undefined) query.set("target", target);
  return `${API_BASE}/live?${query}`;
}

/**
 * Maximum number of streams per browser. A browser opens six connections per host. Further tabs poll, which keeps
 * connections free for pages and clicks.
 */
const STREAM_SLOTS = 4;

const doNothing = () => undefined;

const acquireStreamSlot: StreamPorts["acquireSlot"] = (onChange) => {
  // Browsers provide web locks only with TLS or on localhost. Without web locks, every tab has a stream.
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
  // Connects while the message reader is loading. Queues messages in order until the reader is loaded.
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
