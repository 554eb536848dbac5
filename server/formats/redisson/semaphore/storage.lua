-- Redisson's semaphore with expirable permits. Included by the verbs that continue or read a hold; acquire.lua and
-- release.lua of this folder acquire and return its permits.

-- include holds.lua
