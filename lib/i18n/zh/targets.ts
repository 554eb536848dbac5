import type { Messages } from "../en/messages.ts";

const WRITE_REFUSALS: Readonly<Record<string, { title: string; remedy: string }>> = {
  no_replicas: {
    title: "Redis 拒绝写入，已同步的副本数少于 min-replicas-to-write（NOREPLICAS）",
    remedy: "请恢复副本连接，或调低 min-replicas-to-write。",
  },
  persistence_failed: {
    title: "Redis 拒绝写入，数据无法保存到磁盘（MISCONF）",
    remedy: "请清理磁盘空间，或确保 Redis 数据目录可写。原因见 Redis 日志。",
  },
  out_of_memory: {
    title: "Redis 拒绝写入，maxmemory 已用满（OOM）",
    remedy: "请调高 maxmemory，或删除数据。",
  },
  read_only: {
    title: "Redis 拒绝写入，该节点是只读副本（READONLY）",
    remedy: "请等待故障转移完成，或改用主节点地址。",
  },
};

export const targets: Messages["targets"] = {
  namespace: "targets",
  title: "目标",
  intro: "所有受监视的 Redis，以及可能危及锁的配置。Lockkeeper 不会在此做任何更改，请核对命令后自行执行。",
  loading: "正在加载…",
  again: "重试",
  locks: (_count, shown) => `${shown} 把锁`,
  triedSince: (clock) => `尚未连接成功，自 ${clock} 起持续重试。`,
  between: "，",
  topologies: { standalone: "单机", sentinel: "哨兵", cluster: "集群", quorum: "多数派" },
  findings: "检查结果",
  nothingFound: "未发现风险。",
  severities: { danger: "危险", warning: "警告", unknown: "未知", note: "提示" },
  copyCommand: (title) => `复制命令：${title}`,
  atMasters: (names) => `节点 ${names}`,
  unnotifiedTitle: "以下变化没有通知，只能通过扫描发现：",
  unseen: {
    K: "单个键的所有变化",
    g: "DEL、EXPIRE、RENAME：释放、续期、手动删除",
    h: "哈希：Redisson 和本 API 的锁",
    s: "集合：distributed-lock 的读锁",
    z: "有序集合：信号量、公平队列",
    x: "键过期：租约结束",
    e: "键逐出：被 Redis 移除的锁",
    $: "字符串：redlock、redis-py、SETNX 锁",
  },
  currentFlags: (setting) => `notify-keyspace-events 当前为“${setting}”，已有标志会保留。`,
  currentlyEmpty: "notify-keyspace-events 当前为空。",
  orAtStart: "或使用 LOCKKEEPER_NOTIFICATIONS=set 启动 Lockkeeper，由它自动设置。",
  unreadableKeys: "无法读取的键",
  unreadableReasons: { too_large: "过大", forbidden: "无权限", timeout: "超时", error: "出错" },
  translations: {
    clock: {
      title: ({ name, ms, side }) =>
        `${name} 的时钟比 Lockkeeper ${side === "ahead" ? "快" : "慢"} ${ms} 毫秒`,
      risk: () => "按客户端时钟记录截止时间的锁会过早或过晚过期，日志时间也会不一致。",
    },
    clocks_apart: {
      title: ({ ms }) => `各主节点的时钟相差 ${ms} 毫秒`,
      risk: () => "故障转移后，在较慢的时钟追上之前，fencing token 可能变小，资源可能拒绝新持有者的写入。",
    },
    down: {
      title: ({ name }) => `${name} 没有响应`,
      risk: ({ quorum, left }) =>
        quorum === "1"
          ? `其余节点继续表决，${left === "0" ? "不能再有节点失效" : `最多还能失效 ${left} 个节点`}。如果它丢失数据后在租约到期前恢复，同一把锁可能有两个持有者。`
          : "该节点上的锁无法获取或释放，只能等待租约到期。",
    },
    even_quorum: {
      title: ({ count }) => `此目标由 ${count} 个独立主节点组成（Redlock）`,
      risk: () => "偶数个主节点的容错能力与少一个时相同，还可能出现平票。",
    },
    evicted: {
      title: ({ count }) => `Redis 启动以来逐出了 ${count} 个键`,
      risk: () => "其中可能有锁。观测到的每次逐出都会记录为“被逐出”事件。",
    },
    eviction: {
      title: ({ policy }) => `maxmemory-policy 为 ${policy}`,
      risk: ({ limited }) =>
        limited === "1"
          ? "内存不足时 Redis 会删除键，包括仍被持有的锁，随后其他客户端可以获取该锁。volatile-ttl 会最先删除锁。"
          : "未设置 maxmemory，目前不会逐出键。一旦设置，仍被持有的锁可能被删除。",
    },
    few_masters: {
      title: ({ count }) => `集群只有 ${count} 个主节点`,
      risk: () => "少于三个主节点时，一个失效后就无法形成多数派，其副本不会被提升为主节点。",
    },
    few_sentinels: {
      title: ({ count }) => `只有 ${count} 个哨兵监视主节点`,
      risk: () => "少于三个哨兵时，一个失效后就无法形成多数派，不会提升任何副本。",
    },
    memory: {
      title: ({ percent }) => `maxmemory 已用 ${percent}%`,
      risk: () => "用满后，获取锁会失败（OOM）；如果启用了逐出策略，锁会被删除。",
    },
    min_replicas: {
      title: () => "min-replicas-to-write 为 0",
      risk: () => "与副本断开的主节点仍会授予锁，故障转移后新的主节点也会授予同一把锁。",
    },
    no_replica: {
      title: () => "没有副本",
      risk: () => "该服务器不可用时，锁无法获取或释放，也没有节点可以接替。",
    },
    notifications: {
      title: () => "未开启键空间通知",
      risk: () => "只能通过扫描发现变化。两次扫描之间的变化不可见，扫描也会占用 Redis 的时间。",
    },
    persistence: {
      title: ({ kept }) => (kept === "nothing" ? "未开启持久化" : "仅开启快照持久化"),
      risk: ({ kept }) =>
        kept === "nothing"
          ? "重启后所有锁都会丢失，原持有者可能仍在运行。"
          : "崩溃后，最近几分钟获取的锁会丢失，原持有者可能仍在运行。",
    },
    restarted: {
      title: () => "Redis 在最近五分钟内启动",
      risk: () => "重启前不久获取的锁可能已丢失，其持有者可能仍在运行。",
    },
    rights: {
      title: ({ commands }) => `Redis 用户无权执行 ${commands}`,
      risk: () => "缺少这些命令的权限，部分锁无法查看、获取或释放。",
    },
    sentinel_quorum: {
      title: ({ quorum, count }) => `故障转移需要 ${quorum} 个哨兵，目前只有 ${count} 个`,
      risk: () => "哨兵无法就主节点下线达成一致，因此不会提升任何副本。",
    },
    sentinel_unknown: {
      title: () => "没有哨兵响应",
      risk: () => "无法确定能否进行故障转移。",
    },
    ignored_events: {
      title: ({ count }) => `忽略了事件频道上的 ${count} 条消息`,
      risk: () =>
        "这些消息格式错误、过长，或数量过多而无法逐一核对，可能有客户端在伪造事件。请使用 ACL 限制向 lockkeeper:events:* 发布消息的用户。",
    },
    oversized_keys: {
      title: ({ count }) => `${count} 个受监视的键名超过 1024 字节`,
      risk: () => "这些键不会被读取、显示或释放。请缩小 LOCKKEEPER_WATCH 的范围，或排查写入这些键的客户端。",
    },
    unread: {
      title: ({ command }) => `无权读取 ${command}`,
      risk: () => "部分检查因此无法进行。",
    },
    unreadable_keys: {
      title: ({ count }) => `${count} 个受监视的键无法读取`,
      risk: ({ count, too_large, forbidden, timeout, error }) =>
        [
          Number(count) > Number(too_large) ? "其中的锁不会显示，也无法在此释放。" : "",
          too_large === "0"
            ? ""
            : `${too_large} 个超出锁的大小上限，未读取，请通过 LOCKKEEPER_WATCH 缩小监视范围。`,
          forbidden === "0"
            ? ""
            : `${forbidden} 个无权读取，请为该用户授予这些键和 +memory|usage 权限，或缩小监视范围。`,
          timeout === "0" ? "" : `${timeout} 个读取超时，请排查这些键的内容。`,
          error === "0" ? "" : `${error} 个读取时出错。`,
        ].join(""),
    },
    unreached: {
      title: () => "尚未连接成功，正在重试",
      risk: () => "连接成功之前，没有可显示的内容。",
    },
    writes_refused: {
      title: ({ reason = "" }) => WRITE_REFUSALS[reason]?.title ?? "Redis 拒绝写入",
      risk: ({ reason = "" }) =>
        `锁无法获取或续期，大多数锁只能等待过期。${WRITE_REFUSALS[reason]?.remedy ?? ""}`,
    },
    version: {
      title: ({ version }) => `Redis ${version} 版本较旧`,
      risk: () => "该版本不支持分片频道，也不支持按键授予只读权限（ACL %R~）。",
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
    unknown: "未知",
    underOneMs: "< 1 毫秒",
    clockAsOurs: "时钟一致",
    clockAhead: (ms) => `时钟快 ${ms}`,
    clockBehind: (ms) => `时钟慢 ${ms}`,
    upFor: (time) => `已运行 ${time}`,
    ofLimit: (used, limit) => `${used}，上限 ${limit}`,
    noLimit: (used) => `${used}，无上限`,
    evicted: (count) => `逐出 ${count} 个键`,
    persistence: { none: "无", snapshots: "快照", aof: "AOF", both: "AOF 和快照" },
    atLeast: (count) => `min-replicas-to-write ${count}`,
    scannedAgo: (ago) => `${ago}扫描`,
    scanTook: (time) => `用时 ${time}`,
    scanRunning: (percent) => `正在扫描，${percent}%`,
    neverScanned: "尚未完成",
    on: "开启",
    off: "关闭",
    missingFlags: (flags) => `缺少 ${flags}`,
    polled: (ends, newLocks) => `锁释放或过期后 ${ends}内发现，新锁 ${newLocks}内发现`,
    downSince: (clock) => `自 ${clock} 起`,
  },
};
