-- Updates by key that become durable once a second. A crash loses the updates of about one second.
--
-- open-transaction: each thread keeps a transaction open and commits it once a second. This works on every engine and
--   needs no setting. A thread updates only its own rows, so no other thread waits for its locks.
-- session: every update commits at once. The engine's session variable turns flushing at commit off. Once a second the
--   first thread turns it on for one commit. A log is written in order, so this flush covers all commits before it.
--   Only for TokuDB without the binlog: with the binlog, TokuDB flushes at prepare, whatever the session variable is.

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
      con:query("COMMIT") -- sysbench has counted these updates
   end
end

function event()
   if sysbench.opt.how == "session" then
      in_relaxed_session(bench.con)
   else
      in_open_transaction(bench.con)
   end
end
