-- A `timestamp` lock has no fast path, because its deadlines have to be computed.

local FORMAT = 'timestamp'

-- include ../no-fast-path.lua
