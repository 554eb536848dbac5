import type { Messages } from "../en/messages.ts";

export const login: Messages["login"] = {
  namespace: "login",
  loggingIn: "正在登录…",
  logIn: "登录",
  name: "用户名",
  password: "密码",
  linkExpired: "此链接已用过或已失效",
  linkExpiredText: "链接只能用一次，十分钟内有效。运行以下命令获取新链接。",
  orByPassword: "或用用户名和密码",
  noResponse: "Lockkeeper 没有答复",
  noResponseText: "链接尚未使用，可以重试。",
  orByLink: "或用一次性链接",
  orByLinkText: "在安装 Lockkeeper 的机器上运行以下命令，打开它输出的链接。",
  copyCommand: "复制命令",
  tooManyAttempts: "尝试次数过多。",
  failedRetry: (failure) => <>{failure}登录未处理，请重试。</>,
  wrong: "用户名或密码错误。",
  retryIn: (left) => `尝试次数过多，${left} 后可再试。`,
  retryNow: "现在可以再试。",
  notLoggedIn: "你尚未登录",
  byPassword: "用用户名和密码登录",
  byCommand:
    "或在安装 Lockkeeper 的机器上运行以下命令，打开它输出的链接。链接只能用一次，十分钟内有效。登录后本页自动继续。",
};
