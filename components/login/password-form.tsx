"use client";

import { type FormEvent, useEffect, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, INPUT_CLASS } from "@/components/ui/field.tsx";
import { formatRemaining } from "@/components/ui/format-duration.ts";
import { ProblemText } from "@/components/ui/problem-text.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { ApiProblem } from "@/lib/api/request.ts";
import { NAME_CHARACTERS_MAX, PASSWORD_CHARACTERS_MAX } from "@/lib/contract/limits.ts";
import { login } from "@/lib/i18n/en/login.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLogin } from "@/lib/queries/access/session.ts";
import { sanitizeRedirect } from "./safe-redirect.ts";

export function PasswordForm() {
  const messages = useMessages(login);
  const { waiting } = useMessages(ui);
  const logIn = useLogin();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const pauseMs = useRetryPause(logIn.error);
  const blocked = logIn.isPending ? waiting : pauseMs > 0 ? messages.tooManyAttempts : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (blocked !== null) return;
    logIn.mutate(
      { name: name.trim(), password },
      {
        onSuccess: () => location.replace(sanitizeRedirect(location, BASE_PATH)),
        onError: () => setPassword(""),
      },
    );
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label={messages.name}>
        {(field) => (
          <input
            {...field}
            required
            className={INPUT_CLASS}
            value={name}
            maxLength={NAME_CHARACTERS_MAX}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label={messages.password}>
        {(field) => (
          <input
            {...field}
            required
            type="password"
            className={INPUT_CLASS}
            value={password}
            maxLength={PASSWORD_CHARACTERS_MAX}
            autoComplete="current-password"
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      {logIn.isError && (
        <p role="alert" className="rounded-[9px] bg-bad-bg px-3 py-2.5 text-bad">
          <LoginFailureText error={logIn.error} pauseMs={pauseMs} />
        </p>
      )}
      <div>
        <Button type="submit" variant="primary" blocked={blocked}>
          {logIn.isPending ? messages.loggingIn : messages.logIn}
        </Button>
      </div>
    </form>
  );
}

/**
 * Shows why the login failed. Unknown names and wrong passwords have the same message, because the message must not
 * reveal which names exist.
 */
function LoginFailureText({ error, pauseMs }: { error: Error; pauseMs: number }) {
  const messages = useMessages(login);
  const uiMessages = useMessages(ui);
  if (!(error instanceof ApiProblem)) return messages.failedRetry(<ProblemText problem={error} />);
  if (error.code === "unauthenticated") return messages.wrong;
  if (error.code !== "rate_limited") return <ProblemText problem={error} />;
  return pauseMs > 0 ? messages.retryIn(formatRemaining(pauseMs, uiMessages)) : messages.retryNow;
}

/** Returns the remaining time, in ms, until the server accepts another attempt. Measured with the browser's clock. */
function useRetryPause(error: Error | null): number {
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
