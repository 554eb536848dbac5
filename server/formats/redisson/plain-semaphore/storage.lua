-- Redisson's plain semaphore: the number of its available permits. Redisson does not store who acquired the others.
-- Lockkeeper stores the permits of its holds in an additional sorted set, in the form of an expirable semaphore.

-- include ../semaphore/holds.lua
