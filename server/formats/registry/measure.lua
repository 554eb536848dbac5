-- Measures the memory usage of a key without reading its content.
--
-- Returns from measure_bytes(n, samples), for KEYS[n]: the bytes; 0 for a key with a compact encoding, which is always
-- small; or -1 if the size is unknown. The number is exact if the key has no more elements than `samples`. Redis samples
-- from the head of a list and from the lowest score of a sorted set, and extrapolates to all elements.

-- The compact encodings. Redis converts larger hashes, sets and sorted sets to other encodings (*-max-listpack-value,
-- 64 bytes by default).
local COMPACT_ENCODINGS = { listpack = true, listpackex = true, ziplist = true, intset = true }

local function measure_bytes(n, samples)
  local usage = redis.pcall('MEMORY', 'USAGE', KEYS[n], 'SAMPLES', samples)
  if type(usage) == 'number' then return usage end
  local encoding = redis.pcall('OBJECT', 'ENCODING', KEYS[n])
  if type(encoding) == 'string' and COMPACT_ENCODINGS[encoding] then return 0 end
  return -1
end
