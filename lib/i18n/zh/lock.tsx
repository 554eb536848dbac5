import type { Messages } from "../en/messages.ts";
import { JOB_LOCK } from "./format-facts.ts";
import { ui } from "./ui.ts";

export const lock: Messages["lock"] = {
  namespace: "lock",
  units: ui.units,
  justNow: "刚刚",
  ago: (span) => `${span}前`,
  joined: (parts) => parts.join("，"),
  either: (most, last) => `${most.join("、")} 或 ${last}`,

  liveness: {
    alive: "存活",
    overdue: "续期逾期",
    not_renewing: "不续期",
    no_ttl: "无 TTL",
    unknown: "未知",
  },
  livenessHints: {
    alive: "持有者按时续期",
    overdue: "续期已逾期",
    not_renewing: "观测期间未见续期",
    no_ttl: "无 TTL，永不过期",
    unknown: "观测时间不足",
  },
  lastRenewed: (ago) => `${ago}续期`,
  neverRenewed: "从未见到续期",
  neverExpires: "永不过期",
  renewsEvery: (span) => `续期间隔 ${span}`,
  nextIn: (span) => `预计 ${span}后续期`,
  nextNow: "预计即将续期",
  wasExpected: (ago) => `本应在 ${ago}续期`,
  missed: (count) => `错过 ${count} 次续期`,
  noRegularRenewals: "未观测到规律续期",
  watchedNever: (span) => `已观测 ${span}，从未续期`,
  noTtlMeans: "永不过期，且无法判断持有者是否存活",
  watchedShort: (span) => `仅观测了 ${span}，不足以判断`,
  livenessWith: (liveness, evidence) => (
    <>
      {liveness}
      <span className="text-ink-3">：{evidence}</span>
    </>
  ),

  waitersHints: {
    exact: "所有等待者",
    estimated: "订阅了释放通知的客户端，每个至少有一个等待者",
    unknown: "轮询的客户端不可见",
  },
  noWaiters: "没有等待者",
  wait: (count) => `${count} 个等待者`,
  subscribed: (count) => `${count} 个客户端订阅了释放通知`,
  noSubscriber: "没有客户端订阅释放通知",
  waitingNotVisible: (count) =>
    count === null ? "轮询的客户端不可见" : `${count} 个通过 Lockkeeper 等待，轮询的客户端不可见`,

  next: {
    waiter: (who, waited, others) => (
      <>
        {who}
        {waited !== null && `，已等待 ${waited}`}
        {others > 0 && `，其后还有 ${others} 个`}
      </>
    ),
    orders: {
      first_in_queue: "等待队列保存在 Redis 中，其他客户端无法插队。",
      longest_waiting: "按此顺序获取锁，但新的客户端仍可能抢先。",
    },
    undetermined: (count, isExact) =>
      `未知（${isExact ? "" : "至少 "}${count} 个客户端在等待，任何客户端都可能先获取锁）。`,
    no_waiter: "没有客户端在等待。",
    no_subscriber: "没有客户端订阅释放通知。",
    not_visible: "未知（轮询的客户端不可见）。",
    enoughPermits: "可用许可足够时，等待者才会获得许可。",
    redissonFair: "通知队首的客户端，其余保持原有位置。",
    redissonPlain: "通知所有订阅的客户端，先请求的客户端获取锁。",
  },

  notHeld: "空闲",
  unreadable: "无法读取",
  onHost: (who, host) => (
    <>
      {who}
      <span className="text-ink-3">（{host}）</span>
    </>
  ),
  onHostText: (who, host) => `${host} 上的 ${who}`,
  holders: (count) => `${count} 个持有者`,
  redissonThread: (thread) => `Redisson 客户端，线程 ${thread}`,
  reservedMinimumHold: "预留：最短持有时间",
  reservedFor: (who) => <>由 {who} 预留</>,
  minimumHold: "最短持有时间",
  reservedBy: (who) => `${who} 的预留`,
  unknownDeadline: (time) => `所有者未知（值为截止时间，${time} 到期）`,
  unknownConstant: (value) => `所有者未知（值为“${value}”）`,
  theReservation: (what) => what,

  ended: "已到期，可获取",
  noTtl: "无 TTL",
  expiring: "正在过期…",
  graceHint: "租约已到期，宽限期内锁仍被持有",
  unknown: "未知",
  sinceUnknown: "本次持有的开始时间未知",
  sinceHints: {
    at_least: (date) => `首次观测时（${date}）已被持有`,
    reported: (date) => `自 ${date} 起（取自所有者字符串，以客户端时钟为准）`,
    exact: (date) => `自 ${date} 起`,
  },
  typical: (span) => `通常 ${span}`,
  noFence: "无",
  noFenceHint: "未经 Lockkeeper 获取，本次持有没有 fencing token",

  formatNames: { token: "令牌字符串", timestamp: "时间戳字符串" },
  runbook: "应急手册",
  newTab: "（在新标签页打开）",

  formats: (count) => `${count} 种格式之一`,

  release: {
    shapeAlone: "它可能是锁，也可能是其他数据。选择格式后才能释放。",
    latch: "无论计数还剩多少，闭锁都会对所有等待者打开。",
    permit:
      "会释放一个许可，因为 Redis 不记录许可的持有者。如果原持有者仍存活并再次释放，信号量会多出一个许可。",
    job: JOB_LOCK.why + JOB_LOCK.instead,
    number:
      "没有等待者时，无法从数据区分这个数字是信号量、闭锁还是计数器，误释放会损坏数据。请在有等待者时重试，或在创建它的应用中处理。",
    differentOwners:
      "各主节点上的所有者不同，无法确定谁获得了多数派。释放其中一个可能导致两个客户端同时持有锁。请等待持有者释放或租约到期。",
    notFreed: "Lockkeeper 不支持释放此格式的锁。",
  },

  votes: {
    held: (its, of) => `在 ${of} 个主节点中的 ${its} 个上持有`,
    ownerPerMaster: "，每个主节点上的所有者字符串各不相同：",
    differentOwners: "各主节点上的所有者不同，无法确定谁获得了多数派",
    has: (owner, masters) => (
      <>
        {owner} 有 {masters} 票
      </>
    ),
    noHold: () => "，未达到多数派",
    none: "无",
    unreachable: (count) => `；${count} 个不可达`,
    undecided: "，它们可能改变结果，因此显示上次的已知结果",
    and: "，",
    after: "；",
  },

  noteBy: (who, ago, about) => (
    <>
      {who}
      {ago !== null && `，${ago}`}
      {about === "hold" ? "，针对本次持有" : "，针对此键"}
    </>
  ),
};
