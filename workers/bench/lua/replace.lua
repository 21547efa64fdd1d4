-- One REPLACE of a row that is there: a read before the write on a B-tree, a blind write where the engine can, which
-- takes a table without a secondary index: else the old row must be read to take its entry out.

local bench = require("common")
bench.option("index", "secondary index: yes | no", "yes")
local replace

function bench.on_connect()
   replace = bench.statement(
      "REPLACE INTO " .. bench.table .. " (id, k, c, pad) VALUES (?, ?, ?, ?)", "number", "number", "c", "pad")
end

function event()
   replace(bench.any_id(), bench.any_id())
end
