-- The write statements of the OLTP complex transaction: two updates, a delete and an insert, then one commit.

local bench = require("common")
local mixed = require("mixed")
local transaction

function bench.on_connect()
   transaction = mixed.transaction(mixed.writes())
end

function event()
   transaction()
end
