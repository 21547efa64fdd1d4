-- One REPLACE of an existing row. A B-tree reads the old row before it writes. Some engines write without reading, if
-- the table has no secondary index: an index needs the old row, whose entry must be removed.

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
