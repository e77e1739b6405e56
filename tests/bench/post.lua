-- wrk: one tools/call get_order, the same bytes each time. BENCH_BODY is a file, BENCH_TOKEN a token.
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

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %.1f %.1f %d\n", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), e.status + e.connect + e.read + e.write + e.timeout))
end
