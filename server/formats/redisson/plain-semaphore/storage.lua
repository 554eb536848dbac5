-- Redisson's plain semaphore: the number of its available permits. Redisson does not store who has the others. Lockkeeper
-- stores the permits of its own holds in a sorted set of its own, as an expirable semaphore stores all.

-- include ../semaphore/holds.lua
