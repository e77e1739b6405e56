-- wrk: one tools/call get_order, the same bytes each time. BENCH_BODY is a file, BENCH_TOKEN a token; where BENCH_TOKENS names a file
-- of tokens, a line each, they take turns.
local file = assert(io.open(os.getenv("BENCH_BODY"), "rb"))
wrk.method = "POST"
wrk.body = file:read("*a")
file:close()
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
wrk.headers["Accept-Encoding"] = "gzip, deflate, br"
wrk.headers["MCP-Protocol-Version"] = "2026-07-28"
wrk.headers["Mcp-Method"] = "tools/call"
wrk.headers["Mcp-Name"] = "get_order"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("BENCH_TOKEN")

local many = os.getenv("BENCH_TOKENS")
if many and many ~= "" then
  local requests, turn = {}, 0
  function init()
    for token in io.lines(many) do
      wrk.headers["Authorization"] = "Bearer " .. token
      requests[#requests + 1] = wrk.format()
    end
  end
  function request()
    turn = turn % #requests + 1
    return requests[turn]
  end
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %.1f %.1f %d\n", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), e.status + e.connect + e.read + e.write + e.timeout))
end
