-- A few requests at a moderate rate, so that what they wait for is the proxy and not each other. Arguments: the target, and its
-- authority for Host. Prints how often each latency occurred, in microseconds, so that several runs can be taken together.

local shortest, longest = 0, 8

function delay()
  return math.random(shortest, longest)
end

function init(arguments)
  wrk.path = arguments[1]
  wrk.headers["Host"] = arguments[2]
end

function done(summary, latency, requests)
  local counts = {}
  for index = 1, #latency do
    local value, count = latency(index)
    counts[index] = string.format("[%d, %d]", value, count)
  end
  local errors = summary.errors
  io.write(string.format(
    'result {"failed": %d, "latencies": [%s]}\n',
    errors.connect + errors.read + errors.write + errors.status + errors.timeout, table.concat(counts, ", ")))
end
