import type { Messages } from "../en/messages.ts";

export const operators: Messages["operators"] = {
  namespace: "operators",
  title: "操作员",
  text: "用用户名和密码登录的人。查看者只能查看，操作员还能释放锁，管理员可做一切；可按目标分别授权，也可对所有目标授权。",
  add: "新建操作员…",
  none: "还没有操作员：能使用终端的人可用一次性链接登录。请为每个人各建一个，这样事件和审计才知道是谁做的。",
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

  newTitle: "新建操作员",
  nameRequired: "请输入用户名。",
  create: "创建操作员",
  name: "用户名",
  nameHint: "事件和审计中显示的名字。",
  rolesOf: (name) => <>{name} 的角色</>,
  saveRoles: "保存角色",
  rolesEffective: "两秒内生效，对已登录者也一样。通过链接开始的会话会结束。",
  roles: "角色",
  oneRole: "角色",
  defaultRole: "默认（未单独设置的目标）",
  choices: {
    as_others: "默认",
    none: "无",
    viewer: "查看者：只能查看",
    operator: "操作员：查看、释放",
    admin: "管理员：可做一切",
  },

  passwordOf: (name) => <>{name} 的密码</>,
  setPassword: "设置密码",
  sessionsEnd: "其所有会话会结束，须用新密码重新登录。",

  ends: {
    disable: {
      title: (name) => <>停用 {name}</>,
      button: "停用该操作员",
      texts: ["两秒内其所有会话结束，此用户名不能再登录。", "用户名、角色和密码都保留，可以恢复。"],
    },
    enable: {
      title: (name) => <>启用 {name}</>,
      button: "启用该操作员",
      texts: ["可以再次登录，密码和角色与之前相同。"],
    },
    delete: {
      title: (name) => <>删除 {name}</>,
      button: "删除该操作员",
      texts: ["两秒内其所有会话结束。", "角色和密码随之删除，无法恢复。其操作仍以此用户名留在审计中。"],
    },
  },
};
