import type { LiveHello } from "../../../lib/contract/live.ts";
import { getAccessesAt, getServerWideAccesses, type Principal } from "../../auth/principal.ts";
import type { TargetConnector } from "../../targets/target-connector.ts";

/** Returns the fields of the `hello` message that describe the target. */
export function toTargetHello({ settings, address, target }: TargetConnector): LiveHello["target"] {
  const { name, label, environment, policy } = settings;
  return {
    ...{ name, label, address },
    ...(environment === undefined ? {} : { environment }),
    server: target?.server ?? null,
    readOnly: policy.readOnly,
  };
}

/** Returns the fields of the `hello` message that describe the caller and its access. */
export function toOperatorHello(
  principal: Principal,
  { name: target }: TargetConnector,
): LiveHello["operator"] {
  return {
    name: principal.name,
    may: getAccessesAt(principal, target),
    mayEverywhere: getServerWideAccesses(principal),
  };
}

/** Returns whether two principals have the same access, as far as the `hello` message states it. */
export function hasSameAccess(one: Principal, other: Principal, connector: TargetConnector): boolean {
  const [before, now] = [one, other].map((each) => JSON.stringify(toOperatorHello(each, connector)));
  return before === now;
}
