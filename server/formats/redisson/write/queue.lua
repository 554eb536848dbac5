-- Waiters of these locks have no order in Redis.

-- include ../../no-queue.lua
