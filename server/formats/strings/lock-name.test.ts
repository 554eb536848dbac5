import { expect, it } from "vitest";
import { assessName, type NameEvidence } from "./lock-name.ts";

it.each<[NameEvidence, readonly string[]]>([
  [
    "lock",
    [
      ...[
        "lock:a",
        "lock:orders:7",
        "lock.orders",
        "lock/7",
        "locks:user:7",
        "LOCK_A",
        "lock42",
        "leader",
        "mutex:7",
      ],
      ...[
        "orders:lock",
        "orders_lock",
        "orders.lock",
        "orders-lock:7",
        "orderLock",
        "orderMutex:a",
        "distLock7",
      ],
      ...[
        "my-lock-3f2a9c31-5e8d",
        "{lock_goods}:300",
        "{lock:goods}:300",
        ":1:lock",
        "bull:mail:7:lock",
        "a/lease",
      ],
    ],
  ],
  [
    "lock_or_lockout",
    [
      "account:lock:7",
      "app:lock:orders",
      "inventory:lock:warehouse-2",
      "account_lock:7",
      "user:7:lock",
      "login-lock:10.0.0.1",
      "lock_user:7",
    ],
  ],
  [
    "mentions_lock",
    [
      ...["account:locked_until:7", "account:locked_at:7", "user:7:lock_expires", "user:7:locked"],
      ...["smart:lock:7:pairing", "smart_lock:7", "door-lock:7", "cache:yarn.lock:7", "cache:Cargo.lock"],
      ...[
        "lock_screen:theme",
        "lockScreen:7",
        "feature:lock_ui",
        "cache:page:/lock/7",
        "dhcp:lease:aa:bb:cc",
      ],
      ...["leader_board:7", "smart:lock:7", "shop:lock:orders:7", "shop_lock_orders"],
    ],
  ],
  [
    "none",
    ["clock:a", "block:a", "unlock:a", "stock", "flock:a", "leaderboard:a", "please:a", "lockers:a", ""],
  ],
])("a name is assessed as %s", (evidence, names) => {
  for (const name of names) expect(assessName(name), name).toBe(evidence);
});
