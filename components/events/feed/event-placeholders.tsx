"use client";

import clsx from "clsx";
import { EVENT_PANEL_CLASS, EVENT_TICKER_CLASS, useEventPanel } from "./use-event-panel.ts";

/** Reserves space for the event panel while the panel's code loads, so that the table does not move. */
export function EventPanelPlaceholder() {
  return useEventPanel().isOpen && <div className={EVENT_PANEL_CLASS} />;
}

/** Reserves space for the event ticker while the ticker's code loads. */
export function EventTickerPlaceholder() {
  const { closedClass } = useEventPanel();
  return <div className={clsx(EVENT_TICKER_CLASS, closedClass)} />;
}
