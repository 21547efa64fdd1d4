-- sysbench's OLTP complex transaction: point and range reads, two updates, a delete and an insert.

local bench = require("common")
local mixed = require("mixed")
bench.option("point_selects", "reads by key per transaction", 10)
bench.option("range_size", "rows of each of the four range reads", 100)
local transaction

function bench.on_connect()
   transaction = mixed.transaction(mixed.reads(), mixed.writes())
end

function event()
   transaction()
end
