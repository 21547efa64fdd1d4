-- Prints sysbench's figures, one JSON object per line. sysbench's own report leaves out repeated lines and rounds small
-- latencies to zero. sysbench calls the hooks once a second and at the end, in a Lua state of their own.

local function number(value)
   local finite = value == value and value ~= math.huge and value ~= -math.huge
   return finite and string.format("%.9g", value) or "null"
end

local function emit(fields)
   local parts = {}
   for name, value in pairs(fields) do
      parts[#parts + 1] = string.format('"%s":%s', name, type(value) == "string" and '"' .. value .. '"' or number(value))
   end
   table.sort(parts)
   io.write("{", table.concat(parts, ","), "}\n")
   io.flush()
end

function sysbench.hooks.report_intermediate(stat)
   local seconds = stat.time_interval
   emit({
      report = "second",
      t_s = stat.time_total,
      tps = stat.events / seconds,
      qps = (stat.reads + stat.writes + stat.other) / seconds,
      writes = stat.writes / seconds,
      errors = stat.errors / seconds,
      p95_ms = stat.latency_pct * 1000,
   })
end

function sysbench.hooks.report_cumulative(stat)
   emit({
      report = "total",
      elapsed_s = stat.time_total,
      transactions = stat.events,
      reads = stat.reads,
      writes = stat.writes,
      other = stat.other,
      errors = stat.errors,
      reconnects = stat.reconnects,
      latency_avg_ms = stat.latency_avg * 1000,
      latency_max_ms = stat.latency_max * 1000,
   })
end
