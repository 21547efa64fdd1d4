-- One INSERT IGNORE per transaction. A chosen share of the keys is there already (this thread put them there
-- earlier in the run): such a statement changes nothing and has nothing to make durable.

local bench = require("common")
bench.grow()
bench.option("existing_percent", "share of keys that are there already", 50)
local insert
local sequence = 0

function bench.on_connect()
   insert = bench.statement(
      "INSERT IGNORE INTO " .. bench.table .. " (id, k, c, pad) VALUES (?, ?, ?, ?)", "number", "number", "c", "pad")
end

local function next_id()
   if sequence > 0 and sysbench.rand.uniform(1, 100) <= sysbench.opt.existing_percent then
      return bench.scattered_id(sysbench.rand.uniform(1, sequence))
   end
   sequence = sequence + 1
   return bench.scattered_id(sequence)
end

function event()
   insert(next_id(), bench.any_id())
end
