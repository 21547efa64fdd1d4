-- Updates by key that are made durable once a second: at most about one second of them is at risk.
--
-- open-transaction: each thread keeps a transaction open and commits it once a second. Works on every engine
--   and needs no setting; a thread updates only rows of its own, so that nobody waits for its locks.
-- session: every update commits at once, with the engine's own session variable set to commits that are not
--   flushed; once a second the first thread commits one with flushing on. A log is written in order, so this
--   one flush covers every commit before it. TokuDB only, and there only without the binlog: with it, the
--   flush happens at prepare, whatever the session says.

local bench = require("common")
bench.option("how", "open-transaction | session", "open-transaction")

local PERIOD_S = 1
local RELAX, FLUSH = "SET SESSION tokudb_commit_sync = OFF", "SET SESSION tokudb_commit_sync = ON"
local update, since

local function due()
   return bench.clock_s() - since >= PERIOD_S
end

local function own_id()
   local thread, threads = bench.thread(), bench.threads()
   local others = math.floor((sysbench.opt.table_rows - 1 - thread) / threads)
   return 1 + thread + threads * sysbench.rand.uniform(0, others)
end

local function in_open_transaction(con)
   if due() then
      con:query("COMMIT")
      con:query("BEGIN")
      since = bench.clock_s()
   end
   update(own_id())
end

local function in_relaxed_session(con)
   local flush = bench.thread() == 0 and due()
   if flush then
      con:query(FLUSH)
   end
   update(bench.any_id())
   if flush then
      con:query(RELAX)
      since = bench.clock_s()
   end
end

function bench.on_connect(con)
   update = bench.statement("UPDATE " .. bench.table .. " SET c = ? WHERE id = ?", "c", "number")
   since = bench.clock_s()
   con:query(sysbench.opt.how == "session" and RELAX or "BEGIN")
end

function bench.on_disconnect(con)
   if sysbench.opt.how == "open-transaction" then
      con:query("COMMIT") -- counted work must not be rolled back
   end
end

function event()
   if sysbench.opt.how == "session" then
      in_relaxed_session(bench.con)
   else
      in_open_transaction(bench.con)
   end
end
