-- Waiters of a semaphore have a turn, not a queue: acquire.lua of an expirable semaphore claims it.

-- include ../../no-queue.lua
