import type { SeriesRange } from "@/lib/contract/stats.ts";
import type { Messages } from "../en/messages.ts";
import { ui } from "./ui.ts";

const OVER: Readonly<Record<SeriesRange, string>> = { hour: "最近 1 小时", day: "最近 24 小时" };

export const overview: Messages["overview"] = {
  namespace: "overview",
  units: ui.units,
  hide: "收起概览",
  menu: {
    title: "概览选项",
    ranges: { hour: "曲线：最近 1 小时", day: "曲线：最近 24 小时" },
    current: "当前",
    showPatterns: "显示键模式",
    hidePatterns: "收起键模式",
  },
  measures: {
    held: { name: "持有中", means: "当前被持有的锁。", find: "显示所有锁" },
    waiting: {
      name: "等待中",
      means: "正在等待锁的客户端。轮询的客户端不可见。",
      find: "显示有等待者的锁",
    },
    needsAttention: {
      name: "需要处理",
      means: "无 TTL、续期逾期，或持有时长超过该键模式通常时长两倍的锁。",
      find: "显示需要处理的锁",
    },
    acquisitionsPerS: { name: "每秒获取", means: "每秒新产生的持有，不含重入。", find: "无" },
    waitedMsP95: {
      name: "等待 p95",
      means: "成功获取锁的等待时长的第 95 百分位。",
      find: "无",
    },
  },
  noneYet: "暂无",
  unknown: "未知",
  line: (name, sentence) => `${name}曲线：${sentence}`,
  nothingMeasured: (range) => `${OVER[range]}没有数据。`,
  throughout: (range, since, amount) => `${OVER[range]}（数据始于 ${since}）一直为 ${amount}。`,
  between: (range, since, least, most) => `${OVER[range]}（数据始于 ${since}）在 ${least} 与 ${most} 之间。`,
  staleFigures: (at) => `数据截至 ${at}，暂时无法获取更新的数据。`,
  tops: {
    contended: { title: "争用最多", means: "等待与立即拒绝的总次数，仅含 Lockkeeper 客户端。" },
    longestWaits: { title: "等待最久", means: "成功获取锁的等待时长的 p95。" },
    expiredInUse: { title: "使用中过期", means: "锁过期时持有者仍在工作，其他客户端可能已获取锁。" },
    forceReleases: { title: "强制释放", means: "由操作员或 API 密钥执行。" },
    evictions: { title: "被逐出", means: "Redis 因内存不足逐出了锁。" },
  },
  waitsAndRefusals: (waits, refusals) => `等待 ${waits} 次，立即拒绝 ${refusals} 次`,
  halfWaited: (span) => `中位数 ${span}`,
  expiredInAll: (count) => `共过期 ${count} 次`,
  acquiredInAll: (count) => `共获取 ${count} 次`,
  noneSince: (since) => `自 ${since} 起没有。`,
  noneInADay: "最近 24 小时没有。",
  search: (pattern) => `搜索 ${pattern}`,
};
