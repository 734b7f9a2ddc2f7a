-- One request, over and over. Arguments: the target of the request line, the authority for Host, and the value of
-- Connection. Through a proxy the target is in absolute-form (RFC 9112, section 3.2.2).

function init(arguments)
  wrk.path = arguments[1]
  wrk.headers["Host"] = arguments[2]
  wrk.headers["Connection"] = arguments[3]
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    'result {"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "failed": %d, "cut": %d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.write + errors.status + errors.timeout, errors.read))
end
