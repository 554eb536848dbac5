import type { Messages } from "../en/messages.ts";

export const timeline: Messages["timeline"] = {
  namespace: "timeline",
  title: "时间线",
  holds: "按持有者列出的持有",
  choose: "用方向键或鼠标选择一次持有。",
  shown: "时间线上显示",
  latest: "最近的持有",
  all: "已加载的全部持有",
  problems: "问题与缺口",
  expired: "过期",
  forced: "被强制释放或被逐出",
  dashed: "虚线：未观测到开始或结束",
  overlap: "斜线：持有者重叠",
  others: (count) => `另有 ${count} 个更早的持有者未显示。`,
  notWatched: "未监视",
  gap: (from, to) => `从 ${from} 到 ${to} 未监视`,
  now: "现在",

  heldNow: "持有中",
  heldThen: "当时持有中",
  overdueNow: "持有中，续期逾期",
  fenceDigits: "数字：fencing token 末几位",
  olderHolds: "加载更早的持有记录",
  noHolds: "截至此时没有持有记录。",
  heldAt: {
    command: "查询某一时刻的持有者…",
    label: "查询持有者的时间",
    placeholder: "10:47:04，或 5m（5 分钟前）",
    show: "查询",
    now: "回到现在",
    invalid: "请输入过去的时间：10:47:04、2026-11-23 10:47:04，或 5m 表示 5 分钟前（s、m、h、d）。",
    title: (time) => `${time} 时`,
    loading: "正在加载…",
    failed: "历史记录暂不可用。",
    notHeld: "当时没有持有者。",
    unknown: "没有持有者的记录。",
    forgotten: "未知：当时的事件已不再保留。",
    unwatched: "当时 Lockkeeper 没有监视此目标，可能缺少部分记录。",
  },

  unknownOwner: "所有者未知",
  maybeEarlier: "可能开始得更早。",
  fence: (fence) => `fencing token（栅栏令牌）${fence}。`,
  reason: (reason) => `原因：“${reason}”。`,
  sentences: (all) => all.join(""),
  open: (who, since) => `${who} 自 ${since} 起持有。`,
  unobserved: (who, since, until) => `${who} 从 ${since} 起持有，最晚到 ${until}，未观测到结束。`,
  endUnknown: (who, since) => `${who} 从 ${since} 起持有，没有结束记录。`,
  ends: {
    released: (who, since, until, span) => `${who} 从 ${since} 到 ${until} 持有 ${span}，随后释放。`,
    expired: (who, since, until, span) => `${who} 从 ${since} 到 ${until} 持有 ${span}，随后过期，未被释放。`,
    evicted: (who, since, until, span) =>
      `${who} 从 ${since} 到 ${until} 持有 ${span}，随后被 Redis 逐出以回收内存。`,
    force_released: (who, since, until, span) =>
      `${who} 从 ${since} 到 ${until} 持有 ${span}，随后被强制释放。`,
  },
  forcedBy: (who, since, until, span, by) =>
    `${who} 从 ${since} 到 ${until} 持有 ${span}，随后被 ${by} 强制释放。`,
  twoHolders: (first, second, span, since) =>
    `${first} 与 ${second} 从 ${since} 起同时持有 ${span}。资源端只有校验 fencing token 才能区分两者的写入。`,
  twoMaybe: (first, second, span, since) =>
    `${first} 与 ${second} 从 ${since} 起同时持有 ${span}。仅当此锁允许多个持有者时才属正常。`,

  events: "最近事件",
  looking: "正在加载…",
  failed: "无法加载历史。",
  none: "没有事件。",
  older: "加载更早的事件",
  loadingOlder: "正在加载…",
  onTheirWay: "正在加载。",
  notKept: "更早的事件已不再保留。",
};
