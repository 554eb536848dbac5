import type { Messages } from "../en/messages.ts";

export const problems: Messages["problems"] = {
  namespace: "problems",
  translations: {
    ofCode: {
      invalid: { title: "请求无效", remedy: "请改正下面指出的内容后重试。" },
      unauthenticated: { title: "缺少凭据或凭据错误", remedy: "请重新登录。" },
      forbidden: { title: "无权执行此操作", remedy: "请联系管理员授予所需的角色或密钥。" },
      read_only: { title: "锁或其目标为只读", remedy: "未做任何更改。如果下面给出了替代方法，请按其操作。" },
      not_found: { title: "资源不存在", remedy: "请检查路径和目标，下面列出了可用的资源。" },
      method_not_allowed: { title: "资源不支持该方法", remedy: "请使用下面列出的方法。" },
      request_timeout: { title: "请求未及时送达", remedy: "未做任何更改，请重试。" },
      held: { title: "锁已被持有", remedy: "请等待锁释放，或稍后重试。" },
      deadlock: {
        title: "等待陷入死锁",
        remedy:
          "请先释放自己持有的锁，再重新开始。为避免死锁，请在所有地方按相同顺序获取锁，或一次获取全部锁。",
      },
      lost: {
        title: "持有已结束",
        remedy:
          "请停止受此锁保护的任务，其他客户端可能已经开始执行。如需继续，请重新获取锁，并使用新的 fencing token。",
      },
      not_owner: {
        title: "该持有由其他 API 密钥或操作员获取",
        remedy: "请使用获取它的 API 密钥，或由操作员强制释放。",
      },
      not_a_lock: { title: "该键保存的数据不是锁", remedy: "未做任何更改，请使用其他键。" },
      unit_conflict: {
        title: "该键的截止时间使用了其他时间单位",
        remedy: "请使用下面指出的单位。同一个键的所有客户端必须使用相同的单位。",
      },
      kind_conflict: {
        title: "该键已用作其他类型的锁",
        remedy: "未做任何更改。同一个键的所有客户端必须使用相同的锁类型，否则请使用其他键。",
      },
      limit_conflict: {
        title: "信号量的许可总数不一致",
        remedy: "请使用下面指出的许可总数；如果信号量不存在，请指定许可总数以创建它。",
      },
      changed: { title: "锁已发生变化", remedy: "未释放任何锁。请重新查看锁的状态，再决定是否操作。" },
      unverified: {
        title: "无法确认是否为同一次持有",
        remedy: "请重新查看锁的状态。如果仍要释放，请再次确认。",
      },
      release_request_unsupported: {
        title: "持有者不接收释放请求",
        remedy: "未发送任何请求。请联系应用的负责人，或强制释放锁。",
      },
      condition_unsupported: {
        title: "该锁不支持条件变量",
        remedy: "持有未改变。请使用 redisson 格式的普通锁或公平锁，并且不要设置 minHoldMs。",
      },
      idempotency_key_reused: {
        title: "Idempotency-Key 已用于另一个请求",
        remedy: "请为每个新请求生成新的 Idempotency-Key。",
      },
      idempotency_key_required: {
        title: "缺少 Idempotency-Key",
        remedy: "未做任何更改。请带上 Idempotency-Key 重新发送。",
      },
      invalid_hold_id: {
        title: "holdId 无效",
        remedy: "请原样使用获取锁时返回的 holdId，键和目标必须与获取时一致。",
      },
      timeout: {
        title: "等待锁超时",
        remedy: "请重试。5 秒内使用同一个 Idempotency-Key 可保留在等待队列中的位置。",
      },
      last_admin: { title: "必须保留最后一个全局管理员", remedy: "请先将另一位操作员设为全局管理员。" },
      already_exists: { title: "名称已被占用", remedy: "未创建任何内容，请换一个名称。" },
      api_key_inactive: { title: "API 密钥已过期或已吊销", remedy: "请创建新的 API 密钥。" },
      too_large: { title: "请求体过大", remedy: "请减少内容，上限见下面的说明。" },
      uri_too_long: { title: "URL 过长", remedy: "请缩短 URL。" },
      unsupported_media_type: { title: "请求体不是 JSON", remedy: "请以 application/json 发送。" },
      key_not_allowed: {
        title: "该键不允许加锁",
        remedy: "请使用符合下面任一模式的键，或联系管理员扩展 LOCKKEEPER_LOCKABLE。",
      },
      reason_required: { title: "必须填写原因", remedy: "持有者可能仍然存活，请填写原因。" },
      format_required: { title: "必须指定锁格式", remedy: "请选择应用所用客户端库的锁格式。" },
      confirm_required: { title: "需要确认", remedy: "请核对要释放的锁，然后输入目标名称。" },
      rate_limited: { title: "请求过于频繁", remedy: "请稍后重试，并降低请求频率。" },
      quota_exceeded: {
        title: "活跃持有数已达配额",
        remedy: "请释放不再需要的锁，或联系管理员提高此密钥的配额。",
      },
      queue_full: { title: "等待此锁的客户端过多", remedy: "请稍后重试，并逐次延长重试间隔。" },
      too_many_waiting: { title: "等待中的请求过多", remedy: "请减少同时等待的锁，或稍后重试。" },
      too_many_streams: { title: "打开的事件流过多", remedy: "请关闭一些控制台页面，或稍后重试。" },
      headers_too_large: {
        title: "请求头过大",
        remedy: "请减少或缩短请求头。清除此站点的 Cookie 可能有效。",
      },
      internal: { title: "Lockkeeper 内部错误", remedy: "请附上请求 ID 上报，原因见服务器日志。" },
      unavailable: {
        title: "服务暂不可用，未做任何更改",
        remedy: "请稍后重试。如果 Redis 拒绝写入，需要先由运维人员排除故障。",
      },
      not_replicated: {
        title: "及时确认的副本数不足",
        remedy:
          "主节点已执行更改，但故障转移可能使其丢失：获取的锁已释放，续期可能失效。请使用新的 Idempotency-Key 重试。",
      },
      unknown_outcome: {
        title: "操作结果未知",
        remedy: "Redis 没有及时响应，操作可能已执行。请先查看锁的当前状态，再决定是否重试。",
      },
    },
    ofNoResponse: {
      silent: "Lockkeeper 没有响应。",
      unreadable: "无法解析 Lockkeeper 的响应，请重新加载页面。",
      broken_off: "响应中断。",
      status: (status) => `Lockkeeper 返回了状态码 ${status}。`,
    },
  },
  comparison: {
    number: (field) => `${field} 的值必须是整数`,
    time: (field) => `${field} 的值必须是时长，例如 500ms、30s、5m、2h 或 1d`,
    time_or_typical: (field) => `${field} 的值必须是 typical 或时长，例如 500ms、30s、5m、2h 或 1d`,
  },
};
