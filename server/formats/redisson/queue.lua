-- Plain Redisson locks have no queue: Redis does not store an order of their waiters.

-- include ../no-queue.lua
