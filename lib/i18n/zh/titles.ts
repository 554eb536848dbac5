import type { Messages } from "../en/messages.ts";

export const titles: Messages["titles"] = {
  namespace: "titles",
  description: "实时查看此 Redis 中每把锁的持有者。",
  lock: "锁",
  owners: "持有者",
  events: "事件",
  targets: "目标",
  formats: "格式",
  audit: "审计",
  docs: "文档",
  problems: "错误码",
  login: "登录",
  settings: "设置",
  keys: "API 密钥",
  operators: "操作员",
  sessions: "会话",
};
