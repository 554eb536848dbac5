-- A `timestamp` lock has no fast path, because its verbs must compute deadlines.

local FORMAT = 'timestamp'

-- include ../no-fast-path.lua
