-- One INSERT IGNORE per transaction. A chosen share of the keys exists already, spread over the loaded table. Such a
-- statement changes nothing, so there is nothing to make durable. The other keys lie between the loaded ones.
-- Throughput counts both: inserts tried, not commits.

local bench = require("common")
bench.space()
bench.option("existing_percent", "share of keys that exist already", 50)
bench.option("index", "secondary index: yes | no", "yes")
local insert

function bench.on_connect()
   insert = bench.statement(
      "INSERT IGNORE INTO " .. bench.table .. " (id, k, c, pad) VALUES (?, ?, ?, ?)", "number", "number", "c", "pad")
end

function event()
   local there = sysbench.rand.uniform(1, 100) <= sysbench.opt.existing_percent
   insert(there and bench.any_id() or bench.gap_id(), sysbench.rand.uniform(1, sysbench.opt.table_rows))
end
