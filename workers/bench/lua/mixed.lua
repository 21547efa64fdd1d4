-- The statements of sysbench's OLTP transaction ("complex"), shared by oltp_read_write and write_only.

local bench = require("common")
local mixed = {}

local function of_table(sql)
   return string.format(sql, bench.table)
end

function mixed.reads()
   local point = bench.statement(of_table("SELECT c FROM %s WHERE id = ?"), "number")
   local ranges = {
      bench.statement(of_table("SELECT c FROM %s WHERE id BETWEEN ? AND ?"), "number", "number"),
      bench.statement(of_table("SELECT SUM(k) FROM %s WHERE id BETWEEN ? AND ?"), "number", "number"),
      bench.statement(of_table("SELECT c FROM %s WHERE id BETWEEN ? AND ? ORDER BY c"), "number", "number"),
      bench.statement(of_table("SELECT DISTINCT c FROM %s WHERE id BETWEEN ? AND ? ORDER BY c"), "number", "number"),
   }
   return function()
      for _ = 1, sysbench.opt.point_selects do
         point(bench.any_id())
      end
      for _, range in ipairs(ranges) do
         local first = bench.any_id()
         range(first, first + sysbench.opt.range_size - 1)
      end
   end
end

function mixed.writes()
   local index = bench.statement(of_table("UPDATE %s SET k = k + 1 WHERE id = ?"), "number")
   local plain = bench.statement(of_table("UPDATE %s SET c = ? WHERE id = ?"), "c", "number")
   local delete = bench.statement(of_table("DELETE FROM %s WHERE id = ?"), "number")
   local insert = bench.statement(
      of_table("INSERT INTO %s (id, k, c, pad) VALUES (?, ?, ?, ?)"), "number", "number", "c", "pad")
   return function()
      index(bench.any_id())
      plain(bench.any_id())
      local moved = bench.any_id()
      delete(moved)
      insert(moved, bench.any_id())
   end
end

-- BEGIN, each part in turn, COMMIT: all prepared statements, as in sysbench's own scripts.
function mixed.transaction(...)
   local begin, commit, parts = bench.statement("BEGIN"), bench.statement("COMMIT"), {...}
   return function()
      begin()
      for _, part in ipairs(parts) do
         part()
      end
      commit()
   end
end

return mixed
