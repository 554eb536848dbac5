-- Shared by the scripts that run several verbs: converts errors of verbs to replies.

-- Converts the error value that a verb raised or returned to an error reply that starts with the error code. The value
-- is a string or a table. Redis 6.2 prepends the position in the script: '@user_script: 1: -OOM ...'.
local function to_error(raised)
  local text = string.gsub(type(raised) == 'table' and raised.err or raised, '[\r\n]', ' ')
  if not string.find(text, '^[A-Z][A-Z0-9]+ ') then
    text = string.match(text, ': %-([A-Z][A-Z0-9]+ .*)$') or 'ERR Error running script (a verb of several): ' .. text
  end
  return { err = text }
end
