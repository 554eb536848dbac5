"use client";

import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatDate } from "@/components/ui/duration.ts";
import { Field, INPUT } from "@/components/ui/field.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Section } from "@/components/ui/section.tsx";
import type { Session } from "@/lib/contract/session.ts";
import { useSession } from "@/lib/live/browser-sessions.ts";
import { useLogout } from "@/lib/live/hooks.ts";
import { useSetPassword } from "@/lib/live/operators.ts";
import { PasswordFields, passwordFault } from "./password-fields.tsx";
import { rolesText } from "./role-table.tsx";

/** Who one is here, and the own password. */
export function YouSettings() {
  const session = useSession();
  const logout = useLogout();
  if (session.data === undefined) {
    return session.isError ? (
      <ProblemNote problem={session.error} onAgain={() => void session.refetch()} />
    ) : (
      <p className="text-ink-3">Looking…</p>
    );
  }
  const { name, roles, via, expiresAt } = session.data;
  return (
    <>
      <Section
        title={name}
        actions={<Button onClick={() => logout.mutate()}>Log out</Button>}
        text={`Logged in by ${via === "link" ? "a one-time link" : "password"}, until ${formatDate(expiresAt)} at the latest.`}
      >
        <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-2 px-4 py-3">
          <dt className="text-ink-3">Roles</dt>
          <dd>
            <SafeText text={rolesText(roles)} wrap />
          </dd>
        </dl>
      </Section>
      <OwnPassword session={session.data} />
    </>
  );
}

function OwnPassword({ session: { name, via } }: { session: Session }) {
  const set = useSetPassword(name);
  const [old, setOld] = useState("");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const wantsOld = via === "password";
  const missing = wantsOld && old === "" ? "Give the present password." : passwordFault(password, again);
  const blocked = set.isPending ? "Waiting for the answer" : missing;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (blocked !== null) return;
    const forget = () => {
      setOld("");
      setPassword("");
      setAgain("");
    };
    set.mutate({ password, ...(wantsOld ? { old } : {}) }, { onSuccess: forget });
  };
  return (
    <Section
      title="Your password"
      text={
        wantsOld
          ? "Your other sessions end when it changes."
          : "You came by a link, so the present one is not asked for: an admin may set it anew. Your other sessions end."
      }
    >
      <form
        onSubmit={submit}
        onChange={() => !set.isIdle && set.reset()}
        className="flex max-w-[420px] flex-col gap-4 px-4 py-3"
      >
        {/* For managers of passwords. */}
        <input type="text" autoComplete="username" value={name} readOnly hidden />
        {wantsOld && (
          <Field label="Present password">
            {(field) => (
              <input
                {...field}
                type="password"
                autoComplete="current-password"
                className={INPUT}
                value={old}
                onChange={(event) => setOld(event.target.value)}
              />
            )}
          </Field>
        )}
        <PasswordFields password={password} again={again} onPassword={setPassword} onAgain={setAgain} />
        <ProblemNote problem={set.error} />
        <div className="flex items-center gap-3">
          <Button type="submit" look="primary" blocked={blocked}>
            Change the password
          </Button>
          <span role="status" className="text-ok">
            {set.isSuccess && "It is changed."}
          </span>
        </div>
      </form>
    </Section>
  );
}
