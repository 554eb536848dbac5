-- Redisson's semaphore with expirable permits. Included by the scripts that operate on an existing hold; acquire.lua
-- and release.lua of this folder acquire and return its permits.

-- include holds.lua
