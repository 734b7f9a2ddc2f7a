-- A mixture of exchanges, so that entries of every size are being written at any moment: small and larger responses,
-- request bodies, and an error. Arguments: the origin's URL and its authority.

local kinds = {}
local turn = 0

function init(arguments)
  local origin = arguments[1]
  wrk.headers["Host"] = arguments[2]
  local text = { ["Content-Type"] = "text/plain" }
  kinds = {
    wrk.format("GET", origin .. "/small.txt"),
    wrk.format("GET", origin .. "/small.txt"),
    wrk.format("GET", origin .. "/medium.txt"),
    wrk.format("POST", origin .. "/post", text, string.rep("posted text ", 500)),
    wrk.format("GET", origin .. "/missing?name=value"),
  }
end

function request()
  turn = turn % #kinds + 1
  return kinds[turn]
end
