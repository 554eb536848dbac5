import type { Order } from "./task.ts";

/** Handles orders to stop this process, block it, or change its wall clock. */
export function listenForOrders(stop: () => void): void {
  const trueNow = Date.now;
  let clockAheadMs = 0;
  Date.now = () => trueNow() + clockAheadMs;
  process.on("message", (order: Order) => {
    if (order.order === "block") blockEventLoop(order.ms);
    else if (order.order === "clock") clockAheadMs = order.ms;
    else stop();
  });
  // Exits when the parent process has exited.
  process.on("disconnect", () => process.exit(0));
}

function blockEventLoop(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
