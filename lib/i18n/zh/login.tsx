import type { Messages } from "../en/messages.ts";

export const login: Messages["login"] = {
  namespace: "login",
  loggingIn: "正在登录…",
  logIn: "登录",
  name: "用户名",
  password: "密码",
  linkExpired: "此链接已使用或已过期",
  linkExpiredText: "链接只能使用一次，10 分钟内有效。运行以下命令获取新链接。",
  orByPassword: "或使用用户名和密码登录",
  noResponse: "Lockkeeper 没有响应",
  noResponseText: "链接仍然有效，请重试。",
  orByLink: "或使用一次性链接登录",
  orByLinkText: "在安装 Lockkeeper 的机器上运行以下命令，并打开输出的链接。",
  copyCommand: "复制命令",
  tooManyAttempts: "尝试次数过多。",
  failedRetry: (failure) => <>{failure}请重试。</>,
  wrong: "用户名或密码错误。",
  retryIn: (left) => `尝试次数过多，请在 ${left}后重试。`,
  retryNow: "现在可以重试。",
  notLoggedIn: "你尚未登录",
  byPassword: "使用用户名和密码登录",
  byCommand:
    "或在安装 Lockkeeper 的机器上运行以下命令，并打开输出的链接。链接只能使用一次，10 分钟内有效。登录后，本页会自动继续。",
};
