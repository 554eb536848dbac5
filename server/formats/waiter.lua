-- Shared by the scripts that write the waiters of a lock: how a member of that sorted set is composed.

local function format_waiter(request_id, since, owner)
  return table.concat({ request_id, since, owner }, '\t')
end
