import type { Messages } from "../en/messages.ts";

export const titles: Messages["titles"] = {
  namespace: "titles",
  description: "实时查看 Redis 中的锁及其持有者。",
  lock: "锁",
  waits: "等待",
  owners: "所有者",
  events: "事件",
  targets: "目标",
  formats: "锁格式",
  audit: "审计日志",
  docs: "文档",
  problems: "错误码",
  login: "登录",
  settings: "设置",
  keys: "API 密钥",
  operators: "操作员",
  sessions: "会话",
};
