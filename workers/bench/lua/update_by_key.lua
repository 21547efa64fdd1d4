-- One row updated by its primary key, in a column without an index: the smallest durable transaction.

local bench = require("common")
local update

function bench.on_connect()
   update = bench.statement("UPDATE " .. bench.table .. " SET c = ? WHERE id = ?", "c", "number")
end

function event()
   update(bench.any_id())
end
