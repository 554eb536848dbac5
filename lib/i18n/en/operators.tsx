import type { ReactNode } from "react";

/** The messages for the operator settings. */
export const operators = {
  namespace: "operators" as const,
  title: "Operators",
  text: "People who log in with a name and password. Viewers have read-only access, operators can release locks, and admins have full access. A role applies to all targets or to selected targets.",
  add: "Create operator…",
  none: "No operators yet. Anyone with access to the terminal can log in with a one-time link. Create an operator for each person, so that events and the audit log show their name.",
  heads: { name: "Name", roles: "Roles", password: "Password", lastLogin: "Last login" },
  disabled: "disabled",
  passwordSet: "set",
  passwordNone: "not set (cannot log in)",
  tasks: {
    roles: "Roles…",
    password: "Password…",
    disable: "Disable…",
    enable: "Enable…",
    delete: "Delete…",
  },
  taskOf: {
    roles: (name: string) => `Roles for ${name}`,
    password: (name: string) => `Password for ${name}`,
    disable: (name: string) => `Disable ${name}`,
    enable: (name: string) => `Enable ${name}`,
    delete: (name: string) => `Delete ${name}`,
  },

  newTitle: "Create operator",
  nameRequired: "Enter a name.",
  create: "Create operator",
  name: "Name",
  nameHint: "Shown in events and the audit log.",
  rolesOf: (name: ReactNode) => <>Roles for {name}</>,
  saveRoles: "Save roles",
  rolesEffective:
    "Takes effect within two seconds, including in active sessions. Sessions started with a one-time link are ended.",
  roles: "Roles",
  oneRole: "Role",
  defaultRole: "Default for all other targets",
  choices: {
    as_others: "default",
    none: "none",
    viewer: "viewer (read-only)",
    operator: "operator (can release locks)",
    admin: "admin (full access)",
  },

  passwordOf: (name: ReactNode) => <>Password for {name}</>,
  setPassword: "Set password",
  sessionsEnd: "The operator's sessions end, and they must log in again with the new password.",

  ends: {
    disable: {
      title: (name: ReactNode) => <>Disable {name}</>,
      button: "Disable operator",
      texts: [
        "The operator's sessions end within two seconds, and they can no longer log in.",
        "Name, roles and password are kept. You can undo this.",
      ],
    },
    enable: {
      title: (name: ReactNode) => <>Enable {name}</>,
      button: "Enable operator",
      texts: ["The operator can log in again with the previous password and roles."],
    },
    delete: {
      title: (name: ReactNode) => <>Delete {name}</>,
      button: "Delete operator",
      texts: [
        "The operator's sessions end within two seconds.",
        "The operator's roles and password are deleted permanently. Their actions remain in the audit log.",
      ],
    },
  },
};
