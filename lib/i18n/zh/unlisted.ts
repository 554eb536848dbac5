import type { Messages } from "../en/messages.ts";

export const unlisted: Messages["unlisted"] = {
  namespace: "unlisted",
  count: (_count, text) => `${text} 个疑似锁`,
  some: "疑似锁",
  why: "键名像锁的字符串。你的应用可能另有用途，因此不列出。",
  notListed: (_count, text) => `另有 ${text} 个疑似锁未列出：键名像锁的字符串，你的应用可能另有用途。`,
  show: "显示疑似锁",
  searchThem: "同时搜索疑似锁",
  possible: "这可能不是锁，只有键名和类型像锁。释放前请先选择格式。",
  unlisted: "它不在列表中，不计入“需要处理”，也没有事件。",
  addRule: "添加格式规则，列出这类键",
};
