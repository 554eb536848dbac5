import type { Order } from "./task.ts";

/** Lets this process be stopped, blocked, and given another wall clock. */
export function listenForOrders(stop: () => void): void {
  const trueNow = Date.now;
  let clockAheadMs = 0;
  Date.now = () => trueNow() + clockAheadMs;
  process.on("message", (order: Order) => {
    if (order.order === "block") blockEventLoop(order.ms);
    else if (order.order === "clock") clockAheadMs = order.ms;
    else stop();
  });
  // A process without its harness is of no use to anybody.
  process.on("disconnect", () => process.exit(0));
}

function blockEventLoop(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
