-- Waiters of a semaphore have no queue. Instead, the longest waiter claims the next permits (turn.lua).

-- include ../../no-queue.lua
