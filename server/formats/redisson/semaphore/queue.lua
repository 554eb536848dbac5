-- Waiters of a semaphore have a turn, not a queue: acquire.lua of this folder claims it.

-- include ../../no-queue.lua
