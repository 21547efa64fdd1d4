-- A person's own transaction. The checked declaration arrives as data (workers/transaction/records.py), one record a
-- line, its fields divided by tabs. Nothing of it is run as Lua: statements are prepared, values are bound.

local bench = require("common")
local ffi = require("ffi")

local values, tables, transactions = {}, {}, {}
local ROWS_AT_ONCE = 500

local function fields(line)
   local found = {}
   for field in (line .. "\t"):gmatch("([^\t]*)\t") do
      found[#found + 1] = field
   end
   return found
end

local read = {
   value = function(f)
      values[f[2]] = {
         kind = f[3], sql = f[4], least = tonumber(f[4]), most = tonumber(f[5]), bytes = tonumber(f[6]), of = {unpack(f, 7)},
      }
   end,
   table = function(f)
      tables[#tables + 1] = {name = f[2], rows = tonumber(f[3]), create = f[4], columns = f[5], fill = {unpack(f, 6)}}
   end,
   transaction = function(f)
      transactions[#transactions + 1] = {weight = tonumber(f[2])}
   end,
   statement = function(f)
      local last = transactions[#transactions]
      last[#last + 1] = {sql = f[2], names = {unpack(f, 3)}}
   end,
}

for line in os.getenv("OWN_TRANSACTION"):gmatch("[^\n]+") do
   local found = fields(line)
   read[found[1]](found)
end

local total = 0
for _, one in ipairs(transactions) do
   total = total + one.weight
end

local draw = {
   sequence = function(_, number)
      return number
   end,
   uniform = function(value)
      return sysbench.rand.uniform(value.least, value.most)
   end,
   zipf = function(value)
      return math.min(value.most, math.floor((value.most + 1) ^ sysbench.rand.uniform_double()))
   end,
   string = function(value)
      return sysbench.rand.string(string.rep("@", value.bytes))
   end,
   pick = function(value)
      return value.of[sysbench.rand.uniform(1, #value.of)]
   end,
   uuid = function()
      local hex = {}
      for position = 1, 8 do
         hex[position] = string.format("%04x", sysbench.rand.uniform(0, 65535))
      end
      hex[4] = "4" .. hex[4]:sub(2)
      hex[5] = "8" .. hex[5]:sub(2)
      return string.format("%s%s-%s-%s-%s-%s%s%s", unpack(hex))
   end,
}

local function is_text(value)
   return value.kind == "string" or value.kind == "pick" or value.kind == "uuid"
end

-- A number that no other transaction has, in any thread, process or run: a run begins at the present second times
-- 10^9, and its threads take turns.
local began = ffi.cast("int64_t", os.time() - 1700000000) * 1000000000LL
local sent = 0
local function next_number()
   sent = sent + 1
   return began + sent * bench.threads() + bench.thread()
end

local function literal(value, number)
   if value.kind == "server" then
      return value.sql
   end
   local drawn = draw[value.kind](value, number)
   return is_text(value) and "'" .. drawn:gsub("'", "''") .. "'" or string.format("%d", drawn)
end

local function row(one, number)
   local cells = {}
   for position, name in ipairs(one.fill) do
      cells[position] = literal(values[name], number)
   end
   return "(" .. table.concat(cells, ", ") .. ")"
end

local function fill(con, one)
   for first = 1, one.rows, ROWS_AT_ONCE do
      local rows = {}
      for number = first, math.min(first + ROWS_AT_ONCE - 1, one.rows) do
         rows[#rows + 1] = row(one, number)
      end
      con:query(string.format("INSERT INTO `%s` (%s) VALUES ", one.name, one.columns) .. table.concat(rows, ", "))
   end
end

-- All tables anew, so that every run begins with the same rows.
local function prepare()
   local con = bench.connect()
   con:query("SET SESSION sql_mode = CONCAT_WS(',', @@sql_mode, 'NO_ENGINE_SUBSTITUTION')")
   for position = #tables, 1, -1 do
      con:query("DROP TABLE IF EXISTS `" .. tables[position].name .. "`")
   end
   for _, one in ipairs(tables) do
      con:query(one.create .. " ENGINE = " .. sysbench.opt.engine)
      fill(con, one)
   end
end

sysbench.cmdline.commands = {prepare = {prepare}}

local open = {}

local function prepared(con, one)
   local statement, params = con:prepare(one.sql), {}
   for position, name in ipairs(one.names) do
      local types, value = sysbench.sql.type, values[name]
      params[position] = statement:bind_create(is_text(value) and types.CHAR or types.BIGINT, value.bytes)
   end
   if #params > 0 then
      statement:bind_param(unpack(params))
   end
   open[#open + 1] = statement
   return {run = statement, params = params, names = one.names}
end

local function made(con, one)
   local found = {weight = one.weight, names = {}}
   for position, statement in ipairs(one) do
      found[position] = prepared(con, statement)
      for _, name in ipairs(statement.names) do
         found.names[name] = true
      end
   end
   return found
end

local ready, begin, commit = {}, nil, nil

function bench.on_connect(con)
   begin, commit = prepared(con, {sql = "BEGIN", names = {}}), prepared(con, {sql = "COMMIT", names = {}})
   for position, one in ipairs(transactions) do
      ready[position] = made(con, one)
   end
end

function bench.on_disconnect()
   for _, statement in ipairs(open) do
      statement:close()
   end
end

-- A statement that was refused, by a deadlock or a lock wait, may leave its transaction open.
function sysbench.hooks.before_restart_event()
   bench.con:query("ROLLBACK")
end

local function chosen()
   local at = sysbench.rand.uniform(1, total)
   for _, one in ipairs(ready) do
      at = at - one.weight
      if at <= 0 then
         return one
      end
   end
end

function event()
   local one, number, drawn = chosen(), next_number(), {}
   for name in pairs(one.names) do
      drawn[name] = draw[values[name].kind](values[name], number)
   end
   if #one > 1 then
      begin.run:execute()
   end
   for _, statement in ipairs(one) do
      for position, name in ipairs(statement.names) do
         statement.params[position]:set(drawn[name])
      end
      statement.run:execute()
   end
   if #one > 1 then
      commit.run:execute()
   end
end
