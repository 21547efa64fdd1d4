-- One new row per transaction, appended by AUTO_INCREMENT or scattered over the whole index.

local bench = require("common")
bench.grow()
bench.option("keys", "ascending | random", "ascending")
local insert
local sequence = 0

function bench.on_connect()
   local ascending = sysbench.opt.keys == "ascending"
   local columns, values = ascending and "k, c, pad" or "id, k, c, pad", ascending and "?, ?, ?" or "?, ?, ?, ?"
   local statement = bench.statement(
      string.format("INSERT INTO %s (%s) VALUES (%s)", bench.table, columns, values),
      unpack(ascending and {"number", "c", "pad"} or {"number", "number", "c", "pad"}))
   insert = ascending and statement or function(k)
      sequence = sequence + 1
      statement(bench.scattered_id(sequence), k)
   end
end

function event()
   insert(bench.any_id())
end
