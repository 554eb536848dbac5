import type { Messages } from "../en/messages.ts";

export const lockCopy: Messages["lockCopy"] = {
  namespace: "lockCopy",
  title: "复制…",
  titleHint: "复制…（c）",
  of: (key) => `复制 ${key} 的信息`,
  link: "本页链接",
  key: "键",
  owner: "所有者",
  owners: (count) => `全部 ${count} 个所有者，每行一个`,
  noOwner: "当前无人持有。",
  curl: "curl：查看",
  releaseCurl: "curl：释放",
  releaseCurlHint: "仅释放此次持有，记入审计日志",
  curlReason: "通过 curl 释放",
  formatUnknown: "格式未知，请在控制台中释放。",
  redisInspect: "redis-cli：查看",
  redisRelease: "redis-cli：释放",
  redisReleaseHint: "不记入审计日志，仅当所有者未变时删除此键",
  redisReleaseUnavailable: "无法用一条命令安全释放，请在控制台中释放。",
  copied: (what) => `已复制：${what}`,
  notCopied: "浏览器拒绝了剪贴板访问。",
};
