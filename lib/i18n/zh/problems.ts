import type { Messages } from "../en/messages.ts";

export const problems: Messages["problems"] = {
  namespace: "problems",
  translations: {
    ofCode: {
      invalid: { title: "请求无效", remedy: "改正下面指出的内容；原样再发仍会被拒绝。" },
      unauthenticated: { title: "缺少凭据或凭据错误", remedy: "请重新登录。" },
      forbidden: { title: "无权执行此操作", remedy: "请管理员授予所需的角色或密钥；重试无用。" },
      read_only: { title: "此锁或其目标只供查看", remedy: "未做任何更改；若下面给出了替代办法，请照做。" },
      not_found: { title: "此地址没有内容", remedy: "请检查地址和目标；下面列出了现有的。" },
      method_not_allowed: { title: "此地址不接受该方法", remedy: "请改用下面列出的方法。" },
      request_timeout: { title: "请求没有及时送达", remedy: "未做任何更改；请重试。" },
      held: { title: "锁由其他持有者持有", remedy: "请稍后重试，或等待它被释放。" },
      lost: {
        title: "此次持有已结束",
        remedy: "请停止此锁保护的工作：可能已有别人在做。之后重新获取，会得到新的栅栏令牌。",
      },
      not_owner: {
        title: "此次持有由其他 API 密钥或操作员获取",
        remedy: "请用获取它的 API 密钥续期或释放，或由操作员强制释放。",
      },
      not_a_lock: { title: "该键的内容不是锁", remedy: "未改动它；请换一个键名。" },
      unit_conflict: {
        title: "该键的期限用的是另一种单位",
        remedy: "请改用下面指出的单位：一个键只有一种单位。",
      },
      changed: { title: "持有已变，不是你看到的那个", remedy: "未释放任何锁；请重新查看后再决定。" },
      unverified: {
        title: "无法确认是否仍是你看到的那次持有",
        remedy: "请重新查看；若无论如何都要释放，请再确认一次。",
      },
      idempotency_key_reused: {
        title: "Idempotency-Key 已用于另一个请求",
        remedy: "每个新请求都要用新的 Idempotency-Key。",
      },
      idempotency_key_required: {
        title: "缺少 Idempotency-Key",
        remedy: "未做任何更改；请带上 Idempotency-Key 重新发送。",
      },
      invalid_hold_id: {
        title: "holdId 无效",
        remedy: "请使用获取锁时返回的 holdId；重入时，键和目标必须与之相符。",
      },
      timeout: {
        title: "等待期内锁没有空出来",
        remedy: "请重试；5 s 内用同一个 Idempotency-Key 可保留排队位置。",
      },
      last_admin: { title: "这样就没有全局管理员了", remedy: "请先让另一位操作员成为全局管理员。" },
      already_exists: { title: "名称已被占用", remedy: "请换一个名称；未创建任何内容。" },
      api_key_inactive: { title: "API 密钥已过期或已吊销", remedy: "请新建一个 API 密钥。" },
      too_large: { title: "请求过大", remedy: "请减少内容；上限见下。" },
      uri_too_long: { title: "地址过长", remedy: "请缩短地址。" },
      unsupported_media_type: { title: "请求体不是 JSON", remedy: "请以 application/json 发送。" },
      key_not_allowed: {
        title: "此处不能锁这个键",
        remedy: "请让键名符合下面的模式之一，或请人扩展 LOCKKEEPER_LOCKABLE。",
      },
      reason_required: { title: "必须填写原因", remedy: "持有者可能仍存活，请填写原因。" },
      format_required: { title: "必须指明锁的格式", remedy: "请选择应用所用的格式。" },
      confirm_required: { title: "必须输入目标名称", remedy: "请再核对一遍要释放的锁，然后输入目标名称。" },
      rate_limited: { title: "短时间内请求过多", remedy: "请稍候再试，并降低频率。" },
      quota_exceeded: {
        title: "持有的锁已达配额",
        remedy: "请释放不再需要的锁，或请管理员提高此密钥的配额。",
      },
      queue_full: { title: "等待此锁的请求过多", remedy: "请稍后重试，并逐次拉长间隔。" },
      too_many_waiting: { title: "等待中的请求过多", remedy: "请减少同时等待的锁，或稍后重试。" },
      too_many_streams: { title: "打开的事件流过多", remedy: "请关闭一些控制台页面，或稍后重试。" },
      headers_too_large: {
        title: "请求头过大",
        remedy: "请减少或缩短请求头；清除此站点的 Cookie 可能有用。",
      },
      internal: { title: "Lockkeeper 内部出错", remedy: "请连同请求 ID 上报；原因在服务器日志中。" },
      unavailable: {
        title: "服务暂不可用，未做任何更改",
        remedy: "请稍后原样重试；若 Redis 拒绝写入，须先由运维排除原因。",
      },
      not_replicated: {
        title: "及时确认的副本过少",
        remedy: "操作已撤回，因为故障转移可能会丢失它；请重试。",
      },
      unknown_outcome: {
        title: "Redis 没有及时答复，操作可能已执行，也可能没有",
        remedy: "请先查看该锁的现状，再决定是否重试。",
      },
    },
    ofNoResponse: {
      silent: "Lockkeeper 没有答复。",
      unreadable: "无法读懂 Lockkeeper 的答复，请重新加载本页。",
      broken_off: "答复中断了。",
      status: (status) => `Lockkeeper 答复了 ${status}。`,
    },
  },
  comparison: {
    number: (field) => `${field} 须与整数比较`,
    time: (field) => `${field} 须与时间比较，如 500ms、30s、5m、2h 或 1d`,
    time_or_typical: (field) => `${field} 须与时间（如 500ms、30s、5m、2h 或 1d）或 typical 比较`,
  },
};
