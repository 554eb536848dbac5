-- Redisson's fair lock: a lock of Redisson whose waiters have a queue. Included by each verb.

-- include ../storage.lua
