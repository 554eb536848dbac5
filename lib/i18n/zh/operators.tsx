import type { Messages } from "../en/messages.ts";

export const operators: Messages["operators"] = {
  namespace: "operators",
  title: "操作员",
  text: "使用用户名和密码登录的人员。查看者只读，操作员可以释放锁，管理员拥有全部权限；角色可按目标设置，也可对所有目标生效。",
  add: "创建操作员…",
  none: "还没有操作员。能访问终端的人都可以用一次性链接登录。请为每个人创建操作员，以便在事件和审计日志中显示其名称。",
  heads: { name: "用户名", roles: "角色", password: "密码", lastLogin: "最近登录" },
  disabled: "已停用",
  passwordSet: "已设置",
  passwordNone: "未设置，无法登录",
  tasks: { roles: "角色…", password: "密码…", disable: "停用…", enable: "启用…", delete: "删除…" },
  taskOf: {
    roles: (name) => `${name} 的角色`,
    password: (name) => `${name} 的密码`,
    disable: (name) => `停用 ${name}`,
    enable: (name) => `启用 ${name}`,
    delete: (name) => `删除 ${name}`,
  },

  newTitle: "创建操作员",
  nameRequired: "请输入用户名。",
  create: "创建操作员",
  name: "用户名",
  nameHint: "显示在事件和审计日志中。",
  rolesOf: (name) => <>{name} 的角色</>,
  saveRoles: "保存角色",
  rolesEffective: "两秒内生效，对已登录的会话同样有效。通过一次性链接登录的会话会结束。",
  roles: "角色",
  oneRole: "角色",
  defaultRole: "其他目标的默认角色",
  choices: {
    as_others: "默认",
    none: "无",
    viewer: "查看者（只读）",
    operator: "操作员（可释放锁）",
    admin: "管理员（全部权限）",
  },

  passwordOf: (name) => <>{name} 的密码</>,
  setPassword: "设置密码",
  sessionsEnd: "该操作员的所有会话会结束，需要用新密码重新登录。",

  ends: {
    disable: {
      title: (name) => <>停用 {name}</>,
      button: "停用操作员",
      texts: ["该操作员的所有会话会在两秒内结束，且无法再登录。", "用户名、角色和密码会保留，可以重新启用。"],
    },
    enable: {
      title: (name) => <>启用 {name}</>,
      button: "启用操作员",
      texts: ["该操作员可以用原来的密码和角色登录。"],
    },
    delete: {
      title: (name) => <>删除 {name}</>,
      button: "删除操作员",
      texts: ["该操作员的所有会话会在两秒内结束。", "角色和密码会被永久删除。操作记录仍保留在审计日志中。"],
    },
  },
};
