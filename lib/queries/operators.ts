"use client";

import { useQuery } from "@tanstack/react-query";
import type {
  Operator,
  OperatorInput,
  OperatorList,
  OperatorPatch,
  PasswordInput,
} from "@/lib/contract/accounts/operator.ts";
import { ask, type Failure, order, send } from "../api/request.ts";
import { useChange } from "./use-change.ts";

const OPERATORS = ["operators"];
const EVERY_MS = 15_000;

const addressOf = (name: string) => `/operators/${encodeURIComponent(name)}`;

export function useOperators() {
  return useQuery<OperatorList, Failure>({
    queryKey: OPERATORS,
    queryFn: () => ask(send("GET", "/operators"), (wire, json) => wire.readOperators(json)),
    refetchInterval: EVERY_MS,
  });
}

export function useMakeOperator() {
  return useChange<Operator, OperatorInput>(OPERATORS, (input) =>
    ask(send("POST", "/operators", input), (wire, json) => wire.readOperator(json)),
  );
}

export function useChangeOperator(name: string) {
  return useChange<Operator, OperatorPatch>(OPERATORS, (patch) =>
    ask(send("PATCH", addressOf(name), patch), (wire, json) => wire.readOperator(json)),
  );
}

export function useRemoveOperator(name: string) {
  return useChange<void, void>(OPERATORS, () => order(send("DELETE", addressOf(name))));
}

/** One's own with the old one, or as an admin anybody's. */
export function useSetPassword(name: string) {
  return useChange<void, PasswordInput>(OPERATORS, (input) =>
    order(send("POST", `${addressOf(name)}/password`, input)),
  );
}
