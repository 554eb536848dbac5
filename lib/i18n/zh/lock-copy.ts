import type { Messages } from "../en/messages.ts";

export const lockCopy: Messages["lockCopy"] = {
  namespace: "lockCopy",
  title: "复制…",
  titleHint: "复制…（c）",
  of: (key) => `复制 ${key} 的内容`,
  link: "本页链接",
  key: "键",
  owner: "持有者",
  owners: (count) => `全部 ${count} 个持有者，每行一个`,
  noOwner: "无人持有。",
  curl: "调用 API 的 curl 命令",
  releaseCurl: "释放它的 curl 命令",
  releaseCurlHint: "仅释放此次持有，并记入审计",
  curlReason: "通过 curl 释放",
  formatUnknown: "格式未知：请在控制台中释放。",
  show: "查看它的 redis-cli 命令",
  free: "释放它的 redis-cli 命令",
  freeHint: "不记入审计：仅当仍由该持有者持有时删除此键",
  freeNot: "释放它需要不止一次比较：请在控制台中释放。",
  copied: (what) => `已复制：${what}`,
  notCopied: "浏览器不允许本页复制。",
};
