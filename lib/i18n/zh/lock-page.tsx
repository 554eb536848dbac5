import type { Messages } from "../en/messages.ts";

export const lockPage: Messages["lockPage"] = {
  namespace: "lockPage",
  noKey: "网址中没有锁的键",
  allLocks: "所有锁",
  key: "复制键名",
  copyKey: "复制键名",
  release: "释放…",
  releaseWithKey: "释放…（r）",
  cannotRelease: (why) => `暂时无法释放。${why}`,
  nothingToRelease: "当前无人持有。",
  parts: {
    now: "当前状态",
    waiting: "等待者",
    typical: "通常持有时长",
    timeline: "时间线",
    events: "最近事件",
    owner: "该所有者的其他锁",
    raw: "Redis 数据",
    actions: "操作",
  },

  held: (who) => <>由 {who} 持有</>,
  heldByMany: (count) => `${count} 个持有者同时持有`,
  reserved: (by, left) => (
    <>
      {by === null ? "已预留，直到最短持有时间结束" : <>由 {by} 预留</>}
      {left === null ? "" : `，还剩 ${left}`}
    </>
  ),
  ended: (who) => <>已到期，任何客户端都可获取。上一个持有者是 {who}</>,
  notHeld: "当前无人持有",
  unreadable: {
    too_large: "未读取：大小超出 Lockkeeper 的上限",
    forbidden: "无法读取：Redis 用户没有权限",
    timeout: "无法读取：Redis 未及时响应",
    error: "无法读取：Redis 返回错误",
  },
  unreadableHelp: "无法确认这把锁是否被持有，请用 redis-cli 检查该键。",
  neverSeen: "当前无人持有，也没有历史记录",
  neverSeenHelp:
    "如果这把锁本应被持有，请检查键名是否正确，以及它是否匹配受监视的键模式。更早的持有记录可能已不再保留。",
  alive: (ago) => `持有者存活，${ago}续期。`,
  renewsOnSchedule: "持有者按时续期。",
  overdue: (overdue, renewed) =>
    renewed === null
      ? `续期逾期：本应在 ${overdue}续期，至今未见续期。`
      : `续期逾期：本应在 ${overdue}续期，上次续期在 ${renewed}。`,
  overdueNoDetails: "续期逾期。",
  notRenewing: (left) => `持有者不续期，无法判断是否存活。${left}后到期。`,
  neverExpires: "无 TTL，永不过期，且无法判断持有者是否存活。",
  watchedTooShort: (span) => `仅观测了 ${span}，尚无法判断持有者是否存活。`,
  wait: (count) => `${count} 个客户端在等待。`,
  waitAtLeast: (count) => `至少 ${count} 个客户端在等待。`,
  noWaiters: "没有客户端在等待。",
  announcement: (who, liveness) => `${who} 持有，${liveness}`,
  announcementNotHeld: "当前无人持有",

  expiresIn: "剩余时间",
  heldFor: "已持有",
  waiting: "等待者",
  count: "重入次数",
  holders: "持有者",
  timesTypical: (times, p50, p95) => `通常时长（${p50}）的 ${times} 倍，p95 ${p95}`,
  pastP95: (p95) => `超过 p95（${p95}）`,
  typicallyHeld: (p50, p95) => `通常 ${p50}（p95 ${p95}）`,
  typicallyHeldBy: (holds, pattern) => (
    <>
      {" "}
      依据 {pattern} 的 {holds} 次持有
    </>
  ),
  liveness: "存活状态",
  ifReleased: "释放后",
  nextHolder: "下一个持有者：",
  keepsWriting:
    "使用 Node.js 客户端库的持有者会立即收到通知；使用 HTTP API 的持有者在下次续期失败时才会发现。在此之前它可能继续写入，只有 fencing token（栅栏令牌）能保护资源。",
  onlyReserved: "此锁处于预留状态，并非由客户端持有，释放它不会中断任何工作。",
  mustNotRelease: "请勿释放：",
  votes: "投票",
  lastFence: "最近的 fencing token",
  fromRedisson: (fence) => `${fence}，由 Redisson 签发`,
  permits: "许可",
  permitsLeft: (available) => `${available} 个可用`,
  format: "格式",
  ofKind: (formats, kind) => `${formats}，${kind}`,
  layout: (layout) => `：${layout}`,
  confidence: {
    likely: "（很可能：键名和值都像锁）",
    possible: "（可能：仅凭值无法确定）",
  },
  sameToken: "令牌相同的键",
  version: "版本",
  noVersion: "无",

  purpose: "用途",
  session: "会话",
  trace: "链路 ID",
  copyTrace: "复制链路 ID",
  owner: "所有者",
  value: "值",
  copyValue: "复制值",
  copyOwner: "复制所有者",
  lease: "租约",
  endsIn: (span) => `${span}后到期`,
  graceAfter: (span) => `，之后还有 ${span}宽限期`,
  leaseExpired: "已到期",
  inGrace: "，宽限期内锁仍被持有",
  noTtl: "无 TTL",
  since: "开始时间",
  sinceUnknown: "未知",
  sinceHow: {
    exact: "",
    at_least: "（或更早，首次观测时已被持有）",
    reported: "（取自所有者字符串，以客户端时钟为准）",
  },
  fence: "fencing token",
  noFence: "无。未经 Lockkeeper 获取，无法检测迟到的写入",
  copyFence: "复制 fencing token",
  holdId: "持有 ID",
  copyHoldId: "复制持有 ID",
  releaseHolder: "释放此持有…",
  pid: (pid) => `，进程 ${pid}`,
  role: (role) => `，${role}`,
  counted: (count) => `，重入次数 ${count}`,

  votesWithoutHolder: (votes) => <>投票：{votes}</>,
  lastHold: (who, ending, ago, reason) => (
    <>
      上一次持有{who !== null && <>（{who}）</>}：{ago ?? ""}
      {ending}
      {reason !== null && <>，“{reason}”</>}。
    </>
  ),
};
