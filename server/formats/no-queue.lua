-- Included by the formats and kinds whose waiters have no order in Redis. redisson/fair/queue.lua has the functions.

local HAS_QUEUE = false

local function assess_queue() end
local function is_queue_full() end
local function is_queued() end
local function join_queue() end
local function take_turn() end
local function wake_queued() end
local function wake_next() end
