-- A read lock has no fast path, because its verbs must read the leases of the readers.

local FORMAT = 'redisson'

-- include ../../no-fast-path.lua
