-- The storage of Redisson's semaphore with expirable permits. Included by the scripts that operate on an existing hold.
-- In this folder, acquire.lua and release.lua acquire and return permits.

-- include holds.lua
