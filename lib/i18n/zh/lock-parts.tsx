import type { Messages } from "../en/messages.ts";

export const lockParts: Messages["lockParts"] = {
  namespace: "lockParts",

  waiting: {
    title: (count) => `等待者：${count}`,
    titleNone: "等待者",
    orders: {
      by_process: "同一进程内按先来后到获取锁，哪个进程先获取不确定。",
      unknown: "等待者的顺序未知。",
    },
    known: {
      exact: "已列出所有等待者。",
      estimated: "按订阅的客户端计数，每个客户端至少有一个等待者。",
      unknown: "轮询的客户端不可见。",
    },
    noWaiters: "没有客户端在等待。",
    noSubscriber: "没有客户端订阅释放通知。",
    noneVisible: "没有可见的等待者。",
    unnamed: (count) => `另有 ${count} 个，所有者未知。`,
    notShown: (count) => `另有 ${count} 个未显示。`,
    next: "队首",
    place: (place) => `第 ${place} 位`,
    noPlace: "位次未知",
    since: (span) => `已等待 ${span}`,
    sinceUnknown: "等待时长未知",
    until: (span) => `${span}后超时`,
    untilOver: "即将超时",
    untilDead: (span) => `${span}内视为存活`,
    byLockkeeper: "通过 Lockkeeper",
    byLibrary: "通过其客户端库",
    failed: "无法加载等待者。",
  },

  typical: {
    title: "通常持有时长",
    of: (pattern) => <>匹配 {pattern} 的锁</>,
    held: "持有",
    waited: "等待",
    none: "已结束的持有还不够多，暂无统计。",
    noneWaited: "尚无通过 Lockkeeper 的等待记录。",
    half: (p50, p95, longest) => `中位数 ${p50}，p95 ${p95}，最长 ${longest}。`,
    samples: (count) => `最近 24 小时 ${count} 个样本，越近权重越高。`,
    now: "现在",
    waitedNow: (span) => `现在 ${span}`,
    asTypical: "本次持有时长正常。",
    pastP95: "本次持有时长超过 p95。",
    times: (times) => `本次持有时长是通常的 ${times} 倍。`,
    waitsAsTypical: (span) => `当前最长等待 ${span}，处于正常范围。`,
    waitsPast: (span) => `当前最长等待 ${span}，超过 p95。`,
    waitsTimes: (span, times) => `当前最长等待 ${span}，是通常的 ${times} 倍。`,
    p50: "p50",
    p95: "p95",
  },

  owner: {
    title: (_count, shown) => `该所有者的另外 ${shown} 把锁`,
    releaseAll: "全部释放…",
    releaseAllHint: "检查并释放该所有者的所有锁，包括这一把",
    heldFor: "已持有 ",
    showAll: "在列表中显示全部",
  },

  raw: {
    title: "Redis 数据",
    copy: "复制 redis-cli 命令",
    show: "显示原始值",
    hide: "隐藏原始值",
    silent: (master) => `${master} 没有响应。`,
    master: (name) => `${name}：`,
    none: "键不存在。",
    noTtl: "，无 TTL",
    left: (span) => `，TTL 还剩 ${span}`,
    caption: "键的内容",
    notShown: (count) => `另有 ${count} 项未显示。`,
    beginning: (bytes) => `仅显示前一部分，完整值共 ${bytes} 字节。`,
    binary: (bytes, base64) => `${bytes} 字节二进制数据（base64）：${base64}`,
  },

  note: "备注…",
  mayNotWrite: "你在此目标上的角色为只读。",
  extendLease: "延长租约…",
  noLease: "锁没有 TTL，没有可延长的租约。",
  waitForAnswer: "正在等待响应",
  noteSheet: {
    title: "备注",
    empty: "请填写备注。",
    by: (name) => `将显示 ${name} 的名字`,
    remove: "删除备注",
    save: "保存备注",
    label: "备注",
    hint: "纯文本，保留 30 天。不会写入此 Redis。",
    example: "mei 正在排查",
    about: "适用于",
    hold: "仅本次持有",
    key: "此键，不限持有者",
  },
  extend: {
    title: "延长租约",
    formatRequired: "请先选择格式。",
    reasonRequired: "请填写原因。",
    by: (name) => `将以 ${name} 的名义记入审计日志`,
    extendAnyway: "延长当前持有",
    submit: "延长租约",
    explanation: (who, left) => (
      <>
        {who} 还剩 {left}。租约会延长到至少所选的时长，不会缩短。持有者不会收到通知。
      </>
    ),
    label: "新租约（从现在起）",
    minutes: (minutes) => (minutes < 60 ? `${minutes} 分钟` : `${minutes / 60} 小时`),
    format: "锁格式",
    noFormat: "选择格式…",
    lasts: {
      to_its_end: "没有客户端会缩短它。",
      until_renewed: "下次续期时客户端会重新设置租约，可能更短。",
      unknown: "下次续期时客户端可能重新设置租约。",
    },
    left: (span) => `剩余 ${span}`,
    noTtl: "无 TTL",
    extended: (has) => `租约已延长，${has}。`,
    already: (has) => `未更改，租约${has}。`,
    holdOf: (owner, lasts) => (
      <>
        {owner} 的持有。{lasts}
      </>
    ),
  },
};
