-- One request, over and over. Arguments: the target of the request line, the authority for Host, the value of Connection, and
-- perhaps "moderate", or how many requests this thread sends in a second. Through a proxy the target is in absolute-form (RFC 9112,
-- section 3.2.2).
--
-- A moderate rate makes requests wait for the proxy and not for each other. Then the result tells how often each latency occurred,
-- in microseconds, so that several runs can be taken together.

function init(arguments)
  wrk.path = arguments[1]
  wrk.headers["Host"] = arguments[2]
  wrk.headers["Connection"] = arguments[3]
  if arguments[4] == "moderate" then
    delay = function() return math.random(0, 8) end
  elseif arguments[4] then
    pace(1000 / tonumber(arguments[4]))
  end
end

-- Milliseconds between two requests of the thread. One that is late is made up for, a second at most.
function pace(interval)
  local ffi = require("ffi")
  ffi.cdef("struct instant { long seconds, nanoseconds; }; int clock_gettime(int, struct instant *);")
  local instant = ffi.new("struct instant")
  local function now()
    ffi.C.clock_gettime(1, instant)
    return tonumber(instant.seconds) * 1000 + tonumber(instant.nanoseconds) / 1e6
  end
  local due = now()
  delay = function()
    due = math.max(due + interval, now() - 1000)
    return math.max(0, math.floor(due - now() + 0.5))
  end
end

local function each(latency)
  local counts = {}
  for index = 1, #latency do
    counts[index] = string.format("[%d, %d]", latency(index))
  end
  return table.concat(counts, ", ")
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    'result {"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "failed": %d, "cut": %d, "latencies": [%s]}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.write + errors.status + errors.timeout, errors.read, each(latency)))
end
