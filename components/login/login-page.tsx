"use client";

import { useEffect, useRef, useState } from "react";
import { useLoginCommand } from "@/components/app/login-command.tsx";
import { LanguageSwitch } from "@/components/shell/language-switch.tsx";
import { Logo } from "@/components/shell/logo.tsx";
import { Button } from "@/components/ui/button.tsx";
import { CommandLine } from "@/components/ui/command-line.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { ApiProblem } from "@/lib/api/request.ts";
import { login } from "@/lib/i18n/en/login.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLogin } from "@/lib/queries/access/session.ts";
import { PasswordForm } from "./password-form.tsx";
import { isLoginPath, sanitizeRedirect } from "./safe-redirect.ts";

type LoginStepName = "reading" | "asking" | "form" | "refused" | "failed";

export function LoginPage() {
  const logIn = useLogin();
  const [step, setStep] = useState<LoginStepName>("reading");
  const token = useRef<string | null>(null);

  const ask = () => {
    if (token.current === null) return;
    setStep("asking");
    logIn.mutate(
      { token: token.current },
      {
        onSuccess: () => location.replace(sanitizeRedirect(location, BASE_PATH)),
        // A 4xx status other than 429 means that the server refused the link. After any other error, the operator can
        // try the same link again.
        onError: (error) =>
          setStep(
            error instanceof ApiProblem && error.status < 500 && error.status !== 429 ? "refused" : "failed",
          ),
      },
    );
  };

  const openLink = () => {
    const { hash, pathname, search } = location;
    // On other pages, the fragment is not a login token.
    if (hash.length < 2 || !isLoginPath(location, BASE_PATH)) {
      setStep((now) => (now === "reading" ? "form" : now));
      return;
    }
    token.current = hash.slice(1);
    // Removes the token from the address bar and the history.
    history.replaceState(null, "", pathname + search);
    ask();
  };

  // The link works only once, so `openLink` must not run twice, even in React strict mode.
  const begun = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, after mounting
  useEffect(() => {
    if (!begun.current) openLink();
    begun.current = true;
    // Opening another link in the same tab changes only the fragment, so the browser does not reload the page.
    addEventListener("hashchange", openLink);
    return () => removeEventListener("hashchange", openLink);
  }, []);

  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-[440px] flex-col justify-center gap-4 px-5 pb-24">
      <div className="flex items-center gap-2 font-semibold tracking-tight">
        <Logo />
        <span className="flex-1">Lockkeeper</span>
        <LanguageSwitch />
      </div>
      <div role={step === "form" ? undefined : "status"} className="flex flex-col gap-4">
        <LoginStep step={step} onAgain={ask} />
      </div>
    </main>
  );
}

function LoginStep({ step, onAgain }: { step: LoginStepName; onAgain(): void }) {
  const messages = useMessages(login);
  const { tryAgain } = useMessages(ui);
  switch (step) {
    case "reading":
    case "asking":
      return <h1 className="text-lg font-semibold">{messages.loggingIn}</h1>;
    case "form":
      return (
        <>
          <h1 className="text-lg font-semibold">{messages.logIn}</h1>
          <PasswordForm />
          <LinkLogin />
        </>
      );
    case "refused":
      return (
        <>
          <h1 className="text-lg font-semibold">{messages.linkExpired}</h1>
          <p className="text-ink-2">{messages.linkExpiredText}</p>
          <LoginCommand />
          <h2 className="pt-3 font-semibold">{messages.orByPassword}</h2>
          <PasswordForm />
        </>
      );
    case "failed":
      return (
        <>
          <h1 className="text-lg font-semibold">{messages.noResponse}</h1>
          <p className="text-ink-2">{messages.noResponseText}</p>
          <div>
            <Button variant="primary" onClick={onAgain}>
              {tryAgain}
            </Button>
          </div>
        </>
      );
  }
}

/**
 * Explains how to log in with a one-time link, which operators need for their first login and after they forget their
 * password. Creating a link requires a shell on the server, but no password.
 */
function LinkLogin() {
  const messages = useMessages(login);
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-4">
      <h2 className="font-semibold">{messages.orByLink}</h2>
      <p className="text-ink-2">{messages.orByLinkText}</p>
      <LoginCommand />
    </div>
  );
}

function LoginCommand() {
  const { copyCommand } = useMessages(login);
  return <CommandLine text={useLoginCommand()} label={copyCommand} />;
}
