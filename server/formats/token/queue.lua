-- The queue script of `token` locks, which have none: Redis does not store an order of their waiters.

-- include ../no-queue.lua
