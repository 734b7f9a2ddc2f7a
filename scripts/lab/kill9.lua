-- A mixture of exchanges, so that entries of every size are being written at any moment: small and larger responses,
-- request bodies, and an error. Each thread has one connection and numbers its requests, so that a hole in what was recorded shows.
-- Arguments: the origin's URL and its authority.

local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

local origin
local turn = 0
local text = { ["Content-Type"] = "text/plain" }
local posted = string.rep("posted text ", 500)

function init(arguments)
  origin = arguments[1]
  wrk.headers["Host"] = arguments[2]
end

function request()
  turn = turn + 1
  local query = "?thread=" .. number .. "&turn=" .. turn
  local kind = turn % 5
  if kind == 0 then return wrk.format("POST", origin .. "/post" .. query, text, posted) end
  if kind == 1 then return wrk.format("GET", origin .. "/medium.txt" .. query) end
  if kind == 2 then return wrk.format("GET", origin .. "/missing" .. query) end
  return wrk.format("GET", origin .. "/small.txt" .. query)
end
