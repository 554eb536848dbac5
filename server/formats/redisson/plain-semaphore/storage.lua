-- The storage of Redisson's plain semaphore, which is the number of its available permits. Redisson does not store who
-- acquired the other permits. Lockkeeper stores the permits of its own holds in an additional sorted set, as in an
-- expirable semaphore.

-- include ../semaphore/holds.lua
