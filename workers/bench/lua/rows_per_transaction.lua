-- N new rows per transaction. multi: one multi-row INSERT with autocommit; above 1000 rows several of them in one
-- transaction, so that each fits max_allowed_packet. trx: N single-row INSERTs between BEGIN and COMMIT.

local bench = require("common")
bench.grow()
bench.option("rows", "rows per transaction", 1)
bench.option("style", "multi: multi-row INSERTs | trx: single-row INSERTs", "multi")

local MOST_ROWS = 1000
local TEXTS = 64 -- made once per thread: at 10,000 rows, making new ones would take most of the time
local texts, insert = {}, nil

function bench.on_connect()
   for position = 1, TEXTS do
      texts[position] = string.format("'%s','%s'", bench.text("c"), bench.text("pad"))
   end
   insert = bench.statement("INSERT INTO " .. bench.table .. " (k, c, pad) VALUES (?, ?, ?)", "number", "c", "pad")
end

local function insert_many(rows)
   local values = {}
   for position = 1, rows do
      values[position] = string.format("(%d,%s)", bench.any_id(), texts[position % TEXTS + 1])
   end
   bench.con:query("INSERT INTO " .. bench.table .. " (k, c, pad) VALUES " .. table.concat(values, ","))
end

local function in_transaction(work, rows)
   bench.con:query("BEGIN")
   work(rows)
   bench.con:query("COMMIT")
end

local function insert_in_batches(rows)
   while rows > 0 do
      insert_many(math.min(rows, MOST_ROWS))
      rows = rows - MOST_ROWS
   end
end

local function insert_one_by_one(rows)
   for _ = 1, rows do
      insert(bench.any_id())
   end
end

function event()
   local rows = sysbench.opt.rows
   if sysbench.opt.style == "trx" then
      in_transaction(insert_one_by_one, rows)
   elseif rows <= MOST_ROWS then
      insert_many(rows)
   else
      in_transaction(insert_in_batches, rows)
   end
end
