import { changeView, checkSession, liveUrl, loadWire } from "./api.ts";
import type { Source, StreamPorts } from "./stream.ts";

/** The real browser behind `StreamPorts`. */
export function browserPorts(): StreamPorts {
  return {
    open,
    url: liveUrl,
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
