import type { Messages } from "../en/messages.ts";

const WRITE_REFUSALS: Readonly<Record<string, { title: string; remedy: string }>> = {
  no_replicas: {
    title: "Redis 拒绝写入：同步中的副本少于 min-replicas-to-write 的要求（NOREPLICAS）",
    remedy: "请重新连接副本，或调低 min-replicas-to-write。",
  },
  persistence_failed: {
    title: "Redis 拒绝写入：数据无法保存到磁盘（MISCONF）",
    remedy: "请释放磁盘空间，或使 Redis 的数据目录可写；原因见 Redis 日志。",
  },
  out_of_memory: {
    title: "Redis 拒绝写入：maxmemory 已用满（OOM）",
    remedy: "请调高 maxmemory，或删除数据。",
  },
  read_only: {
    title: "Redis 拒绝写入：它是只读副本（READONLY）",
    remedy: "请等待故障转移完成，或改填主节点的地址。",
  },
};

export const targets: Messages["targets"] = {
  namespace: "targets",
  title: "目标",
  intro:
    "所监视的每个 Redis，以及哪些情况可能使它丢失锁或重复授予锁。这里不做任何更改：命令由你判断后自行执行。",
  loading: "正在查询…",
  again: "重试",
  locks: (_count, shown) => `${shown} 把锁`,
  triedSince: (clock) => `从未连上；自 ${clock} 起一直在重试。`,
  between: "，",
  topologies: { standalone: "单机", sentinel: "哨兵", cluster: "集群", quorum: "多数派" },
  findings: "检查结果",
  nothingFound: "未发现会危及锁的问题。",
  severities: { danger: "危险", warning: "警告", unknown: "未知", note: "提示" },
  copyCommand: (title) => `复制命令：${title}`,
  atMasters: (names) => `位于 ${names}`,
  unnotifiedTitle: "Redis 不会告知、只能靠扫描发现的变化：",
  unseen: {
    K: "单个键的任何变化",
    g: "DEL、EXPIRE、RENAME：释放、续期、手工删除的锁",
    h: "哈希：Redisson 及本 API 的锁",
    s: "集合：distributed-lock 的读者",
    z: "有序集合：信号量、公平队列",
    x: "键过期：租约何时结束",
    e: "键被逐出：被 Redis 丢弃的锁",
    $: "字符串：redlock、redis-py、SETNX 锁",
  },
  currentFlags: (setting) => `notify-keyspace-events 当前为“${setting}”，已有标志全部保留。`,
  currentlyEmpty: "notify-keyspace-events 当前为空。",
  orAtStart: "或以 LOCKKEEPER_NOTIFICATIONS=set 启动 Lockkeeper，由它自行设置。",
  unreadableKeys: "无法读取的键",
  unreadableReasons: { too_large: "过大", forbidden: "无权限", timeout: "超时", error: "出错" },
  translations: {
    clock: {
      title: ({ name, ms, side }) => `${name} 的时钟比 Lockkeeper ${side === "ahead" ? "快" : "慢"} ${ms} ms`,
      risk: () => "以客户端时钟记录截止时间的锁会过早或过晚结束，日志中的时间也对不上。",
    },
    clocks_apart: {
      title: ({ ms }) => `各主节点的时钟相差 ${ms} ms`,
      risk: () => "故障转移后，在较慢的时钟追上之前栅栏号可能变小：资源可能拒绝新的持有者。",
    },
    down: {
      title: ({ name }) => `${name} 没有答复`,
      risk: ({ quorum, left }) =>
        quorum === "1"
          ? `其余节点在没有它的情况下决定，${left === "0" ? "不能再有节点失效" : `还可再失效 ${left} 个节点`}。若它在租约未到期时丢失数据后恢复，同一把锁可能有两个持有者。`
          : "其上的锁既不能获取也不能归还，只能随租约结束。",
    },
    even_quorum: {
      title: ({ count }) => `多数派共有 ${count} 个主节点`,
      risk: () => "偶数个节点并不比少一个更能容忍故障，而且票数可能持平。",
    },
    evicted: {
      title: ({ count }) => `Redis 启动以来逐出了 ${count} 个键`,
      risk: () => "其中可能有锁；所见到的每一次都记为“被逐出”事件。",
    },
    eviction: {
      title: ({ policy }) => `maxmemory-policy 为 ${policy}`,
      risk: ({ limited }) =>
        limited === "1"
          ? "内存不足时 Redis 会删除键，其中可能有正被持有的锁，随后别人就能获取它。volatile-ttl 会最先删除锁。"
          : "未设置 maxmemory，目前不会逐出；一旦设置，正被持有的锁就可能被删除。",
    },
    few_masters: {
      title: ({ count }) => `集群只有 ${count} 个主节点`,
      risk: () => "少于三个时，一个失效便不再有多数，它的副本不会被提升。",
    },
    few_sentinels: {
      title: ({ count }) => `只有 ${count} 个哨兵监视主节点`,
      risk: () => "少于三个时，一个失效便不再有多数，不会提升任何副本。",
    },
    memory: {
      title: ({ percent }) => `maxmemory 已用 ${percent} %`,
      risk: () => "用满后锁会被拒绝（OOM），在会逐出的策略下则会被删除。",
    },
    min_replicas: {
      title: () => "min-replicas-to-write 为 0",
      risk: () => "与副本断开的主节点仍会授予锁；故障转移后新的主节点也会授予同一把锁。",
    },
    no_replica: {
      title: () => "没有副本",
      risk: () => "该服务器不可用期间，锁既不能获取也不能归还，也没有节点接替它。",
    },
    notifications: {
      title: () => "Redis 不告知变化",
      risk: () => "只能改为扫描键：两次扫描之间发生的事看不到，扫描也占用 Redis 的时间。",
    },
    persistence: {
      title: ({ kept }) => (kept === "nothing" ? "磁盘上不保留任何内容" : "磁盘上只保留快照"),
      risk: ({ kept }) =>
        kept === "nothing"
          ? "重启后所有锁都空闲，而原持有者可能仍在工作。"
          : "崩溃后，最近几分钟的锁会空闲，而原持有者可能仍在工作。",
    },
    restarted: {
      title: () => "Redis 在最近五分钟内启动",
      risk: () => "此前不久获取的锁可能已丢失，而持有者仍在工作。在租约期内重启的 Redis 会忘记已授予的锁。",
    },
    rights: {
      title: ({ commands }) => `该用户无权执行 ${commands}`,
      risk: () => "凡需要这些命令之处，锁都无法查看、获取或释放。",
    },
    sentinel_quorum: {
      title: ({ quorum, count }) => `故障转移需要 ${quorum} 个哨兵，而只有 ${count} 个`,
      risk: () => "它们永远无法一致认定主节点已下线，因此不会提升任何副本。",
    },
    sentinel_unknown: {
      title: () => "没有哨兵告知其组的情况",
      risk: () => "无法得知能否进行故障转移。",
    },
    ignored_events: {
      title: ({ count }) => `忽略了事件频道上的 ${count} 条消息`,
      risk: () =>
        "这些消息格式有误、过长，或数量过多而无法通过读取确认，可能有客户端在伪造事件。请用 ACL 限制谁能向 lockkeeper:events:* 发布消息。",
    },
    oversized_keys: {
      title: ({ count }) => `${count} 个受监视的键名超过 1024 字节`,
      risk: () => "这些键不会被读取、显示或释放。请缩小 LOCKKEEPER_WATCH 的范围，或查明是哪个客户端写入的。",
    },
    unread: {
      title: ({ command }) => `无权读取 ${command}`,
      risk: () => "因此有些情况在此无法得知。",
    },
    unreadable_keys: {
      title: ({ count }) => `${count} 个受监视的键无法读取`,
      risk: ({ count, too_large, forbidden, timeout, error }) =>
        [
          Number(count) > Number(too_large) ? "其中若有锁，则不会显示，也不能在此释放。" : "",
          too_large === "0"
            ? ""
            : `${too_large} 个大于锁可能的大小，不予读取：请用 LOCKKEEPER_WATCH 缩小监视范围。`,
          forbidden === "0"
            ? ""
            : `${forbidden} 个无权读取：请为该用户授予这些键和 +memory|usage，或缩小监视范围。`,
          timeout === "0" ? "" : `${timeout} 个未能及时返回：请查明这些键的内容。`,
          error === "0" ? "" : `${error} 个读取时出错。`,
        ].join(""),
    },
    unreached: {
      title: () => "从未连上，正在重试",
      risk: () => "在连上之前，没有可显示的内容。",
    },
    writes_refused: {
      title: ({ reason = "" }) => WRITE_REFUSALS[reason]?.title ?? "Redis 拒绝写入",
      risk: ({ reason = "" }) =>
        `锁既不能获取也不能续期，多数锁只能等待过期。${WRITE_REFUSALS[reason]?.remedy ?? ""}`,
    },
    version: {
      title: ({ version }) => `Redis ${version} 版本较旧`,
      risk: () => "它没有分片频道，也不能限制用户只读部分键。",
    },
  },
  masters: {
    label: "主节点",
    master: "主节点",
    version: "版本",
    latency: "响应时间",
    memory: "内存",
    persisted: "持久化",
    replicas: "副本",
    lastScan: "上次扫描",
    notifications: "通知",
    unknown: "未告知",
    underOneMs: "不到 1 ms",
    clockAsOurs: "时钟一致",
    clockAhead: (ms) => `时钟快 ${ms}`,
    clockBehind: (ms) => `时钟慢 ${ms}`,
    upFor: (time) => `已运行 ${time}`,
    ofLimit: (used, limit) => `${used}，上限 ${limit}`,
    noLimit: (used) => `${used}，无上限`,
    evicted: (count) => `逐出 ${count} 个键`,
    persistence: { none: "无", snapshots: "快照", aof: "追加文件", both: "追加文件和快照" },
    atLeast: (count) => `写入需 ${count} 个`,
    scannedAgo: (ago) => `${ago}扫描`,
    scanTook: (time) => `用时 ${time}`,
    scanRunning: (percent) => `进行中，${percent} %`,
    neverScanned: "尚未完成",
    on: "开启",
    off: "关闭",
    missingFlags: (flags) => `缺少 ${flags}`,
    polled: (ends, newLocks) => `结束 ${ends} 内可见，新锁 ${newLocks} 内可见`,
    downSince: (clock) => `自 ${clock}`,
  },
};
