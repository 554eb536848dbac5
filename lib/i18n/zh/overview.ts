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
    held: { name: "持有中", means: "当前被持有的锁。", find: "显示全部锁" },
    waiting: {
      name: "等待中",
      means: "正在等锁的客户端，仅限能看到的部分。只会反复重试的客户端看不到。",
      find: "显示有等待者的锁",
    },
    needsAttention: {
      name: "需关注",
      means: "没有过期时间、已无人续期，或持有时间超过同名锁通常时长两倍的锁。",
      find: "显示需关注的锁",
    },
    acquisitionsPerS: { name: "每秒获取", means: "每秒新开始的持有；重入不算。", find: "无" },
    waitedMsP95: {
      name: "等待 p95",
      means: "等待并拿到锁的客户端中，每 20 个有 1 个等得更久。",
      find: "无",
    },
  },
  noneYet: "暂无",
  notKnownYet: "尚不清楚",
  line: (name, sentence) => `${name}曲线：${sentence}`,
  nothingMeasured: (range) => `${OVER[range]}没有测得数据。`,
  throughout: (range, since, amount) => `${OVER[range]}（自 ${since} 起有观测）：一直为 ${amount}。`,
  between: (range, since, least, most) => `${OVER[range]}（自 ${since} 起有观测）：${least} 至 ${most}。`,
  older: (at) => `这些数字截至 ${at}，暂时取不到更新的。`,
  tops: {
    contended: { title: "争用最多", means: "等待与被拒之和；其他库的客户端不会上报。" },
    longestWaits: { title: "等待最久", means: "等待并拿到锁者的 p95。" },
    expiredInUse: { title: "使用中过期", means: "锁到期时持有者仍在工作，别人可能已拿到锁。" },
    forceReleases: { title: "强制释放", means: "由操作员或 API 密钥执行，未经持有者同意。" },
    evictions: { title: "被逐出", means: "Redis 因内存不足删除了锁。" },
  },
  waitsAndRefusals: (waits, refusals) => `等待 ${waits} 次，直接被拒 ${refusals} 次`,
  halfWaited: (span) => `半数等待短于 ${span}`,
  expiredInAll: (count) => `共过期 ${count} 次`,
  acquiredInAll: (count) => `共获取 ${count} 次`,
  noneSince: (since) => `自 ${since} 起没有。`,
  noneInADay: "最近 24 小时没有。",
  search: (pattern) => `搜索 ${pattern}`,
};
