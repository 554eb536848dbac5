import type { ReactNode } from "react";

/** The settings of who may log in by password. */
export const operators = {
  namespace: "operators" as const,
  title: "Operators",
  text: "People who log in by name and password. A viewer looks, an operator frees locks as well, an admin may do everything; each at some targets or at all.",
  add: "New operator…",
  none: "No operators yet: whoever has the terminal logs in with a one-time link. Make one for each person, so that events and the audit say who it was.",
  heads: { name: "Name", roles: "Roles", password: "Password", lastLogin: "Last login" },
  disabled: "disabled",
  passwordSet: "set",
  passwordNone: "none: cannot log in",
  tasks: {
    roles: "Roles…",
    password: "Password…",
    disable: "Disable…",
    enable: "Enable…",
    delete: "Delete…",
  },
  taskOf: {
    roles: (name: string) => `Roles of ${name}`,
    password: (name: string) => `Password of ${name}`,
    disable: (name: string) => `Disable of ${name}`,
    enable: (name: string) => `Enable of ${name}`,
    delete: (name: string) => `Delete of ${name}`,
  },

  newTitle: "New operator",
  nameRequired: "Give a name.",
  create: "Make the operator",
  name: "Name",
  nameHint: "What events and the audit say.",
  rolesOf: (name: ReactNode) => <>Roles of {name}</>,
  saveRoles: "Save the roles",
  rolesEffective:
    "They count within two seconds, also for whoever is logged in. Sessions that were begun by a link end.",
  roles: "Roles",
  oneRole: "Role",
  defaultRole: "Default for targets without a role of their own",
  choices: {
    as_others: "default",
    none: "none",
    viewer: "viewer: looks",
    operator: "operator: looks, frees",
    admin: "admin: may do everything",
  },

  passwordOf: (name: ReactNode) => <>Password of {name}</>,
  setPassword: "Set the password",
  sessionsEnd: "Their sessions end: they log in again with the new one.",

  ends: {
    disable: {
      title: (name: ReactNode) => <>Disable {name}</>,
      button: "Disable the operator",
      texts: [
        "Within two seconds all their sessions end, and nobody logs in by this name.",
        "Name, roles and password are kept, so that it can be undone.",
      ],
    },
    enable: {
      title: (name: ReactNode) => <>Enable {name}</>,
      button: "Enable the operator",
      texts: ["They can log in again, with the password and the roles that they had."],
    },
    delete: {
      title: (name: ReactNode) => <>Delete {name}</>,
      button: "Delete the operator",
      texts: [
        "Within two seconds all their sessions end.",
        "Roles and password are gone and cannot be brought back. What they did stays in the audit, by their name.",
      ],
    },
  },
};
