-- Shared by all workloads: the table and its data, a thread's connection, statements, keys.
--
-- A workload is a script that sets `event`. It may set `bench.on_connect` and `bench.on_disconnect`, which are called
-- with each thread's connection. A workload with a growing table calls `bench.grow`: the table starts empty, and
-- `reset` empties it. A workload that inserts keys between the loaded ones calls `bench.space`. With the option `index`
-- a workload can run without the secondary index. These three kinds have tables of their own.

require("report")
local ffi = require("ffi")
ffi.cdef("struct durascope_time { long s; long ns; }; int clock_gettime(int clock, struct durascope_time *now);")

local bench = { table = "durascope_rows", grows = false, step = 1, con = nil }

sysbench.cmdline.options = {
   table_rows = {"rows that prepare loads", 10000},
   engine = {"storage engine of the table", "innodb"},
   first_thread = {"threads of other processes that share the load, before these", 0},
   all_threads = {"threads of all processes that share the load; 0: these", 0},
}

-- The number of this thread among all threads that generate the load, and how many there are.
function bench.thread()
   return sysbench.opt.first_thread + sysbench.tid
end

function bench.threads()
   return sysbench.opt.all_threads > 0 and sysbench.opt.all_threads or sysbench.opt.threads
end

function bench.option(name, says, default)
   sysbench.cmdline.options[name] = {says, default}
end

function bench.grow()
   bench.grows, bench.table = true, "durascope_grown"
end

function bench.space()
   bench.step, bench.table = 1000, "durascope_spaced"
end

local function indexed()
   return sysbench.opt.index ~= "no"
end

-- Called when the options are known.
local function choose_table()
   bench.table = bench.table .. (indexed() and "" or "_plain")
end

-- Templates of random digits, as in sysbench's own rows: 119 and 59 characters.
local TEXTS = {
   c = string.rep("###########", 10, "-"),
   pad = string.rep("###########", 5, "-"),
}

function bench.text(kind)
   return sysbench.rand.string(TEXTS[kind])
end

-- Any key of the loaded rows, by --rand-type.
function bench.any_id()
   return bench.step * sysbench.rand.default(1, sysbench.opt.table_rows)
end

-- A key between two loaded ones.
function bench.gap_id()
   return bench.any_id() - sysbench.rand.uniform(1, bench.step - 1)
end

-- A 63-bit key that no other (run, thread, sequence) has. Multiplication modulo the prime 2^31-1 reaches every number
-- once, and consecutive keys lie far apart. So each insert goes to another leaf of the index.
local RUN = os.time() % 10000
function bench.scattered_id(sequence)
   local spread = (1327217885ULL * sequence) % 2147483647ULL
   return ffi.cast("int64_t", spread * 100000000ULL + bench.thread() * 10000ULL + RUN)
end

-- Seconds of the monotonic clock.
local now = ffi.new("struct durascope_time")
function bench.clock_s()
   ffi.C.clock_gettime(1, now)
   return tonumber(now.s) + tonumber(now.ns) / 1e9
end

-- A server-side prepared statement as a function. The further arguments are the kinds of its parameters: "c" and
-- "pad" get new random text at each call, "number" gets the next argument of the call.
local open = {}
function bench.statement(sql, ...)
   local statement, all, texts, numbers = bench.con:prepare(sql), {}, {}, {}
   for position, kind in ipairs({...}) do
      local template = TEXTS[kind]
      local types = sysbench.sql.type
      all[position] = statement:bind_create(template and types.CHAR or types.BIGINT, template and #template)
      if template then
         texts[#texts + 1] = {param = all[position], template = template}
      else
         numbers[#numbers + 1] = all[position]
      end
   end
   if #all > 0 then
      statement:bind_param(unpack(all))
   end
   open[#open + 1] = statement
   return function(...)
      for position, param in ipairs(numbers) do
         param:set((select(position, ...)))
      end
      for _, text in ipairs(texts) do
         text.param:set_rand_str(text.template)
      end
      statement:execute()
   end
end

-- A server may have other values for all sessions: with completion_type=CHAIN a commit begins the next transaction, and
-- single statements after it would not be committed.
function bench.connect()
   local con = sysbench.sql.driver():connect()
   con:query("SET SESSION autocommit = 1, SESSION completion_type = 0")
   con:query("COMMIT") -- init_connect may have begun a transaction
   return con
end

function thread_init()
   choose_table()
   bench.con = bench.connect()
   if bench.on_connect then
      bench.on_connect(bench.con)
   end
end

function thread_done()
   if bench.on_disconnect then
      bench.on_disconnect(bench.con)
   end
   for _, statement in ipairs(open) do
      statement:close()
   end
   bench.con:disconnect()
end

local function create(con)
   con:query("SET SESSION sql_mode = CONCAT_WS(',', @@sql_mode, 'NO_ENGINE_SUBSTITUTION')") -- else the server silently takes InnoDB
   con:query("DROP TABLE IF EXISTS " .. bench.table)
   con:query(string.format([[
      CREATE TABLE %s (
         id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
         k INT NOT NULL DEFAULT 0,
         c CHAR(120) NOT NULL DEFAULT '',
         pad CHAR(60) NOT NULL DEFAULT ''
      ) ENGINE = %s]], bench.table, sysbench.opt.engine))
end

local function fill(con)
   con:bulk_insert_init("INSERT INTO " .. bench.table .. " (id, k, c, pad) VALUES")
   for id = 1, sysbench.opt.table_rows do
      local k = sysbench.rand.uniform(1, sysbench.opt.table_rows)
      con:bulk_insert_next(string.format("(%d, %d, '%s', '%s')", id * bench.step, k, bench.text("c"), bench.text("pad")))
   end
   con:bulk_insert_done()
end

function prepare()
   local con = bench.connect()
   choose_table()
   create(con)
   if not bench.grows then
      fill(con)
   end
   if indexed() then
      con:query(string.format("CREATE INDEX k ON %s (k)", bench.table)) -- after the load, which is faster
   end
end

local function reset()
   choose_table()
   bench.connect():query("TRUNCATE TABLE " .. bench.table)
end

sysbench.cmdline.commands = {prepare = {prepare}, reset = {reset}}

return bench
