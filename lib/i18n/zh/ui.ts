import type { Messages } from "../en/messages.ts";

export const ui: Messages["ui"] = {
  namespace: "ui",
  cancel: "取消",
  close: "关闭",
  copied: "已复制",
  tryAgain: "重试",
  clearSearch: "清除搜索",
  suggestions: "建议",
  actions: "操作",
  waiting: "正在等待响应",
  opening: "正在打开… 按 Esc 取消。",
  loading: "正在加载…",
  now: "现在",
  never: "从未",
  dateTimeInvalid: "请输入时间，例如 14:05 或 11-21 14:05。",
  justNow: "刚刚",
  ago: (past) => `${past}前`,
  inTime: (left) => `${left}后`,
  units: { ms: "毫秒", s: "秒", m: "分", h: "小时", d: "天" },
};
