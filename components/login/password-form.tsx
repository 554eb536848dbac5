"use client";

import { type FormEvent, useEffect, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatRemaining } from "@/components/ui/duration.ts";
import { Field, INPUT } from "@/components/ui/field.tsx";
import { NAME_CHARACTERS_MAX, PASSWORD_CHARACTERS_MAX } from "@/lib/contract/account-limits.ts";
import { BASE_PATH } from "@/lib/live/base-path.ts";
import { useLogin } from "@/lib/live/hooks.ts";
import { ApiProblem } from "@/lib/live/request.ts";
import { safeNext } from "./safe-next.ts";

/** By name and password. */
export function PasswordForm() {
  const login = useLogin();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const pauseMs = usePause(login.error);
  const blocked = login.isPending
    ? "Waiting for the answer"
    : pauseMs > 0
      ? "There were too many tries."
      : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (blocked !== null) return;
    login.mutate(
      { name: name.trim(), password },
      { onSuccess: () => location.replace(safeNext(location, BASE_PATH)), onError: () => setPassword("") },
    );
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label="Name">
        {(field) => (
          <input
            {...field}
            required
            className={INPUT}
            value={name}
            maxLength={NAME_CHARACTERS_MAX}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Password">
        {(field) => (
          <input
            {...field}
            required
            type="password"
            className={INPUT}
            value={password}
            maxLength={PASSWORD_CHARACTERS_MAX}
            autoComplete="current-password"
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      {login.isError && (
        <p role="alert" className="rounded-[9px] bg-bad-bg px-3 py-2.5 text-bad">
          {failureText(login.error, pauseMs)}
        </p>
      )}
      <div>
        <Button type="submit" look="primary" blocked={blocked}>
          {login.isPending ? "Logging in…" : "Log in"}
        </Button>
      </div>
    </form>
  );
}

/** The same for a name that does not exist and for a wrong password: neither is told. */
function failureText(error: Error, pauseMs: number): string {
  if (!(error instanceof ApiProblem)) return `${error.message} Nothing was decided; try again.`;
  if (error.code === "unauthenticated") return "Name or password is wrong.";
  if (error.code !== "rate_limited") return error.message;
  return pauseMs > 0
    ? `Too many tries. The next one is possible in ${formatRemaining(pauseMs)}.`
    : "You can try again now.";
}

/** What is left of the pause that the server asks for. The page's own time: no clock is compared. */
function usePause(error: Error | null): number {
  const [until, setUntil] = useState<{ error: Error; at: number } | null>(null);
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (!(error instanceof ApiProblem) || error.code !== "rate_limited") return setUntil(null);
    const tick = () => setNow(performance.now());
    tick();
    setUntil({ error, at: performance.now() + (error.retryAfterMs ?? 0) });
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [error]);
  return until === null ? 0 : Math.max(0, until.at - now);
}
