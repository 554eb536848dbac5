"use client";

import { useEffect, useRef, useState } from "react";
import { Logo } from "@/components/shell/logo.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Command } from "@/components/ui/command.tsx";
import { BASE_PATH } from "@/lib/live/base-path.ts";
import { useLogin } from "@/lib/live/hooks.ts";
import { ApiProblem } from "@/lib/live/request.ts";
import { PasswordForm } from "./password-form.tsx";
import { safeNext } from "./safe-next.ts";

type Step = "reading" | "asking" | "form" | "refused" | "failed";

export function LoginPage() {
  const login = useLogin();
  const [step, setStep] = useState<Step>("reading");
  const token = useRef<string | null>(null);

  const ask = () => {
    if (token.current === null) return;
    setStep("asking");
    login.mutate(
      { token: token.current },
      {
        onSuccess: () => location.replace(safeNext(location, BASE_PATH)),
        // Anything that is no clear "no" leaves the link unused, so it can be tried again.
        onError: (error) =>
          setStep(
            error instanceof ApiProblem && error.status < 500 && error.status !== 429 ? "refused" : "failed",
          ),
      },
    );
  };

  const takeLink = () => {
    const { hash, pathname, search } = location;
    if (hash.length < 2) {
      setStep((now) => (now === "reading" ? "form" : now));
      return;
    }
    token.current = hash.slice(1);
    // Out of the address bar and the history at once.
    history.replaceState(null, "", pathname + search);
    ask();
  };

  // The link works once: this must not run twice, whatever React does.
  const begun = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is there
  useEffect(() => {
    if (!begun.current) takeLink();
    begun.current = true;
    // A new link in the same tab differs in its fragment alone, for which a browser loads nothing.
    addEventListener("hashchange", takeLink);
    return () => removeEventListener("hashchange", takeLink);
  }, []);

  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-[440px] flex-col justify-center gap-4 px-5 pb-24">
      <div className="flex items-center gap-2 font-semibold tracking-tight">
        <Logo />
        Lockkeeper
      </div>
      <div role={step === "form" ? undefined : "status"} className="flex flex-col gap-4">
        <LoginStep step={step} onAgain={ask} />
      </div>
    </main>
  );
}

function LoginStep({ step, onAgain }: { step: Step; onAgain(): void }) {
  switch (step) {
    case "reading":
    case "asking":
      return <h1 className="text-lg font-semibold">Logging in…</h1>;
    case "form":
      return (
        <>
          <h1 className="text-lg font-semibold">Log in</h1>
          <PasswordForm />
          <ByLink />
        </>
      );
    case "refused":
      return (
        <>
          <h1 className="text-lg font-semibold">This link was used or has run out</h1>
          <p className="text-ink-2">A link works once, for ten minutes. Run this for a new one.</p>
          <LoginCommand />
          <h2 className="pt-3 font-semibold">Or by name and password</h2>
          <PasswordForm />
        </>
      );
    case "failed":
      return (
        <>
          <h1 className="text-lg font-semibold">Lockkeeper did not answer</h1>
          <p className="text-ink-2">Nothing was decided about the link; it can be tried again.</p>
          <div>
            <Button look="primary" onClick={onAgain}>
              Try again
            </Button>
          </div>
        </>
      );
  }
}

/** For the first login, and for who forgot the password: whoever has the terminal is let in. */
function ByLink() {
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-4">
      <h2 className="font-semibold">Or with a one-time link</h2>
      <p className="text-ink-2">Run this where Lockkeeper is installed and open the link it prints.</p>
      <LoginCommand />
    </div>
  );
}

function LoginCommand() {
  return <Command text="npm run login" label="Copy the command" />;
}
