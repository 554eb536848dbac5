"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type {
  Operator,
  OperatorInput,
  OperatorList,
  OperatorPatch,
  PasswordInput,
} from "@/lib/contract/operator.ts";
import type { ReleaseFailure } from "./hooks.ts";
import { ask, order, send } from "./request.ts";

const OPERATORS = ["operators"];
const EVERY_MS = 15_000;

const addressOf = (name: string) => `/operators/${encodeURIComponent(name)}`;

export function useOperators() {
  return useQuery<OperatorList, ReleaseFailure>({
    queryKey: OPERATORS,
    queryFn: () => ask(send("GET", "/operators"), (wire, json) => wire.readOperators(json)),
    refetchInterval: EVERY_MS,
  });
}

function useOperatorChange<Done, Input>(change: (input: Input) => Promise<Done>) {
  const client = useQueryClient();
  return useMutation<Done, ReleaseFailure, Input>({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: OPERATORS }),
  });
}

export function useMakeOperator() {
  return useOperatorChange<Operator, OperatorInput>((input) =>
    ask(send("POST", "/operators", input), (wire, json) => wire.readOperator(json)),
  );
}

export function useChangeOperator(name: string) {
  return useOperatorChange<Operator, OperatorPatch>((patch) =>
    ask(send("PATCH", addressOf(name), patch), (wire, json) => wire.readOperator(json)),
  );
}

export function useRemoveOperator(name: string) {
  return useOperatorChange<void, void>(() => order(send("DELETE", addressOf(name))));
}

/** One's own with the old one, or as an admin anybody's. */
export function useSetPassword(name: string) {
  return useOperatorChange<void, PasswordInput>((input) =>
    order(send("POST", `${addressOf(name)}/password`, input)),
  );
}
