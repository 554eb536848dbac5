"use client";

import { useEffect, useRef, useState } from "react";
import { Logo } from "@/components/shell/logo.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Command } from "@/components/ui/command.tsx";
import { BASE_PATH } from "@/lib/live/base-path.ts";
import { useLogin } from "@/lib/live/hooks.ts";
import { ApiProblem } from "@/lib/live/request.ts";
import { safeNext } from "./safe-next.ts";

type Step = "reading" | "asking" | "no_token" | "refused" | "failed";

export function LoginPage() {
  const login = useLogin();
  const [step, setStep] = useState<Step>("reading");
  const token = useRef<string | null>(null);

  const ask = () => {
    if (token.current === null) return;
    setStep("asking");
    login.mutate(token.current, {
      onSuccess: () => location.replace(safeNext(location, BASE_PATH)),
      // Anything that is no clear "no" leaves the link unused, so it can be tried again.
      onError: (error) =>
        setStep(
          error instanceof ApiProblem && error.status < 500 && error.status !== 429 ? "refused" : "failed",
        ),
    });
  };

  const takeLink = () => {
    const { hash, pathname, search } = location;
    if (hash.length < 2) {
      setStep((now) => (now === "reading" ? "no_token" : now));
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
      <div role="status" className="flex flex-col gap-4">
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
    case "no_token":
      return (
        <NewLink title="Log in with a link">
          Run this where Lockkeeper is installed and open the link it prints.
        </NewLink>
      );
    case "refused":
      return (
        <NewLink title="This link was used or has run out">
          A link works once, for ten minutes. Run this for a new one.
        </NewLink>
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

function NewLink({ title, children }: { title: string; children: string }) {
  return (
    <>
      <h1 className="text-lg font-semibold">{title}</h1>
      <p className="text-ink-2">{children}</p>
      <Command text="npm run login" label="Copy the command" />
    </>
  );
}
