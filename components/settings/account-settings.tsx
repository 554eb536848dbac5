"use client";

import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, INPUT_CLASS } from "@/components/ui/field.tsx";
import { formatDate } from "@/components/ui/format-duration.ts";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Section } from "@/components/ui/section.tsx";
import type { Session } from "@/lib/contract/accounts/session.ts";
import { settings } from "@/lib/i18n/en/settings.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useSession } from "@/lib/queries/access/browser-sessions.ts";
import { useLogout } from "@/lib/queries/access/logout.ts";
import { useSetPassword } from "@/lib/queries/access/operators.ts";
import { findPasswordFault, PasswordFields } from "./password-fields.tsx";
import { formatRoles } from "./role-table.tsx";

/** Shows the current operator with their roles and a logout button, and a form that changes the password. */
export function AccountSettings() {
  const messages = useMessages(settings);
  const { loading } = useMessages(ui);
  const session = useSession();
  const logout = useLogout();
  if (session.data === undefined) {
    return session.isError ? (
      <ProblemNote problem={session.error} onAgain={() => void session.refetch()} />
    ) : (
      <p className="text-ink-3">{loading}</p>
    );
  }
  const { name, roles, via, expiresAt } = session.data;
  return (
    <>
      <Section
        title={<SafeText text={name} />}
        actions={<Button onClick={() => logout.run()}>{messages.logOut}</Button>}
        text={messages.loggedInBy(via, formatDate(expiresAt))}
      >
        <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-2 px-4 py-3">
          <dt className="text-ink-3">{messages.roles}</dt>
          <dd>
            <SafeText text={formatRoles(roles, messages)} wrap />
          </dd>
        </dl>
      </Section>
      <ChangePassword session={session.data} />
    </>
  );
}

function ChangePassword({ session: { name, via } }: { session: Session }) {
  const messages = useMessages(settings);
  const { waiting } = useMessages(ui);
  const set = useSetPassword(name);
  const [old, setOld] = useState("");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const wantsOld = via === "password";
  const missing =
    wantsOld && old === "" ? messages.currentPasswordRequired : findPasswordFault(password, again, messages);
  const blocked = set.isPending ? waiting : missing;
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
    <Section title={messages.yourPassword} text={wantsOld ? messages.othersEnd : messages.loggedInByLink}>
      <form
        onSubmit={submit}
        onChange={() => !set.isIdle && set.reset()}
        className="flex max-w-[420px] flex-col gap-4 px-4 py-3"
      >
        {/* For password managers. */}
        <input type="text" autoComplete="username" value={name} readOnly hidden />
        {wantsOld && (
          <Field label={messages.currentPassword}>
            {(field) => (
              <input
                {...field}
                type="password"
                autoComplete="current-password"
                className={INPUT_CLASS}
                value={old}
                onChange={(event) => setOld(event.target.value)}
              />
            )}
          </Field>
        )}
        <PasswordFields password={password} again={again} onPassword={setPassword} onAgain={setAgain} />
        <ProblemNote problem={set.error} />
        <div className="flex items-center gap-3">
          <Button type="submit" variant="primary" blocked={blocked}>
            {messages.changePassword}
          </Button>
          <span role="status" className="text-ok">
            {set.isSuccess && messages.passwordChanged}
          </span>
        </div>
      </form>
    </Section>
  );
}
