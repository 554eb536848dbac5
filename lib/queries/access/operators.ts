"use client";

import { useQuery } from "@tanstack/react-query";
import type {
  Operator,
  OperatorInput,
  OperatorList,
  OperatorPatch,
  PasswordInput,
} from "@/lib/contract/accounts/operator.ts";
import { type RequestError, requestJson, requestVoid, sendRequest } from "../../api/request.ts";
import { useInvalidatingMutation } from "../use-change.ts";

const OPERATORS_QUERY_KEY = ["operators"];
const REFETCH_MS = 15_000;

const getOperatorPath = (name: string) => `/operators/${encodeURIComponent(name)}`;

export function useOperators() {
  return useQuery<OperatorList, RequestError>({
    queryKey: OPERATORS_QUERY_KEY,
    queryFn: () => requestJson(sendRequest("GET", "/operators"), (wire, json) => wire.readOperators(json)),
    refetchInterval: REFETCH_MS,
  });
}

export function useCreateOperator() {
  return useInvalidatingMutation<Operator, OperatorInput>(OPERATORS_QUERY_KEY, (input) =>
    requestJson(sendRequest("POST", "/operators", input), (wire, json) => wire.readOperator(json)),
  );
}

export function useUpdateOperator(name: string) {
  return useInvalidatingMutation<Operator, OperatorPatch>(OPERATORS_QUERY_KEY, (patch) =>
    requestJson(sendRequest("PATCH", getOperatorPath(name), patch), (wire, json) => wire.readOperator(json)),
  );
}

export function useRemoveOperator(name: string) {
  return useInvalidatingMutation<void, void>(OPERATORS_QUERY_KEY, () =>
    requestVoid(sendRequest("DELETE", getOperatorPath(name))),
  );
}

/**
 * Returns a mutation that sets an operator's password. Operators must enter their current password to change their own
 * password, unless they are administrators who logged in with a one-time link. Administrators can set any password.
 */
export function useSetPassword(name: string) {
  return useInvalidatingMutation<void, PasswordInput>(OPERATORS_QUERY_KEY, (input) =>
    requestVoid(sendRequest("POST", `${getOperatorPath(name)}/password`, input)),
  );
}
