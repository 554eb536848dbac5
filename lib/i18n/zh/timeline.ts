import type { Messages } from "../en/messages.ts";

export const timeline: Messages["timeline"] = {
  namespace: "timeline",
  title: "时间线",
  holds: "按持有者列出的持有",
  choose: "用方向键或指针选择一次持有。",
  shown: "时间线上显示",
  latest: "最近的持有",
  all: "已加载的全部",
  wrong: "有误或未知之处",
  expired: "过期",
  forced: "被强制释放或被逐出",
  dashed: "虚线：未见其结束或开始",
  overlap: "斜线：同时有两个持有者",
  others: (count) => `另有 ${count} 个更早的持有者未画出。`,
  notWatched: "未监视",
  gap: (from, to) => `从 ${from} 到 ${to} 无人监视`,
  now: "现在",

  heldNow: "持有中",
  heldThen: "当时持有中",
  overdueNow: "持有中，续期逾期",
  fenceDigits: "数字：栅栏令牌末几位",
  olderHolds: "加载更早的持有记录",
  noHolds: "截至此时没有持有记录。",
  heldAt: {
    command: "查询某一时刻的持有者…",
    label: "查询持有者，时间",
    placeholder: "10:47:04，或 5m（5 分钟前）",
    show: "查询",
    now: "回到现在",
    invalid: "请输入过去的时间：10:47:04、2026-11-23 10:47:04，或 5m 表示 5 分钟前（s、m、h、d）。",
    title: (time) => `${time} 时`,
    loading: "正在加载…",
    failed: "历史记录暂不可用。",
    nobody: "当时无人持有此锁。",
    unknown: "没有持有者的记录。",
    forgotten: "未知：当时的事件已不再保留。",
    unwatched: "当时 Lockkeeper 没有监视此目标，可能缺少部分记录。",
  },

  notTold: "未告知",
  maybeEarlier: "可能开始得更早。",
  fence: (fence) => `栅栏号 ${fence}。`,
  reason: (reason) => `给出的原因：“${reason}”。`,
  sentences: (all) => all.join(""),
  open: (who, since) => `${who} 自 ${since} 起持有。`,
  unobserved: (who, since, until) => `${who} 从 ${since} 起持有，最晚到 ${until}；未见其结束。`,
  endUnknown: (who, since) => `${who} 从 ${since} 起持有；没有结束记录。`,
  ends: {
    released: (who, since, until, span) => `${who} 从 ${since} 到 ${until} 持有 ${span}，随后释放。`,
    expired: (who, since, until, span) => `${who} 从 ${since} 到 ${until} 持有 ${span}，随后过期：无人释放。`,
    evicted: (who, since, until, span) =>
      `${who} 从 ${since} 到 ${until} 持有 ${span}，随后被 Redis 为节省内存而逐出。`,
    force_released: (who, since, until, span) =>
      `${who} 从 ${since} 到 ${until} 持有 ${span}，随后被强制释放。`,
  },
  forcedBy: (who, since, until, span, by) =>
    `${who} 从 ${since} 到 ${until} 持有 ${span}，随后被 ${by} 强制释放。`,
  twoHolders: (first, second, span, since) =>
    `同时有两个持有者：${first} 与 ${second}，从 ${since} 起共 ${span}。只有资源处的栅栏号能区分两者的写入。`,
  twoMaybe: (first, second, span, since) =>
    `${first} 与 ${second} 从 ${since} 起同时持有 ${span}。仅当此锁允许多个持有者时才正确。`,

  events: "最近事件",
  looking: "正在查询…",
  failed: "无法读取历史。",
  none: "未见事件。",
  older: "加载更早的",
  loadingOlder: "正在加载…",
  onTheirWay: "正在加载。",
  notKept: "更早的事件未保留。",
};
