"use client";

import clsx from "clsx";
import { EVENT_PANEL_CLASS, EVENT_TICKER_CLASS, useEventPanel } from "./use-event-panel.ts";

/** Reserves the space of the event panel while its code loads, so that the table does not move. */
export function EventPanelPlaceholder() {
  return useEventPanel().isOpen && <div className={EVENT_PANEL_CLASS} />;
}

/** Reserves the space of the event ticker while its code loads. */
export function EventTickerPlaceholder() {
  const { closedClass } = useEventPanel();
  return <div className={clsx(EVENT_TICKER_CLASS, closedClass)} />;
}
