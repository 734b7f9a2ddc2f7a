-- One request after another on the one connection of each thread, with the thread's number and its own: a request is sent when the one
-- before it has been answered. Arguments: the target, the authority for Host.

local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

local target
turn = 0

function init(arguments)
  target = arguments[1] .. "?thread=" .. number .. "&turn="
  wrk.headers["Host"] = arguments[2]
end

function request()
  turn = turn + 1
  return wrk.format("GET", target .. turn)
end

function done(summary, latency, requests)
  local turns = {}
  for index, thread in ipairs(threads) do turns[index] = thread:get("turn") end
  local errors = summary.errors
  io.write(string.format(
    'result {"turns": [%s], "answered": %d, "failed": %d, "p99": %d}\n', table.concat(turns, ", "), summary.requests,
    errors.connect + errors.write + errors.status + errors.timeout + errors.read, latency:percentile(99)))
end
