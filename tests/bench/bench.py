#!/usr/bin/env python3
"""The benchmarks: each figure is a median with its minimum and maximum, printed beside its goal; comparisons with the peer are paired inside
one run. Nothing is asserted. usage: bench.py [--quick] [--bin DIR] [--no-peer]"""
import argparse, json, os, re, shutil, socket, statistics, subprocess, sys, tempfile, time
from stack import Stack, call, call_body, free_port, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TICKS = os.sysconf("SC_CLK_TCK")
ROWS = []


def spread(values, unit, digits=2):
    return f"{statistics.median(values):.{digits}f} {unit} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def row(name, figure, goal="", met=None):
    ROWS.append(name)
    verdict = "" if met is None else "met" if met else "NOT MET"
    print(f"{name:<58} {figure:<44} {goal:<24} {verdict}", flush=True)


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident_mib(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read())[1]) / 1024


def wrk(port, token, body_file, connections, seconds, pid):
    before = cpu_seconds(pid)
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "5s", "-s", f"{HERE}/post.lua",
                          f"http://127.0.0.1:{port}/mcp"], capture_output=True, text=True, timeout=seconds * 4 + 20,
                         env={**os.environ, "BENCH_BODY": body_file, "BENCH_TOKEN": token}).stdout
    found = re.search(r"RESULT (\d+) (\d+) ([\d.]+) ([\d.]+) (\d+)", out)
    count, micros, p50, p99, errors = int(found[1]), int(found[2]), float(found[3]), float(found[4]), int(found[5])
    return {"rate": count / (micros / 1e6), "p50": p50 / 1000, "p99": p99 / 1000, "errors": errors,
            "cpu": (cpu_seconds(pid) - before) * 1e6 / max(1, count)}


class Peer:
    """The peer server on the TypeScript SDK; None where npm is absent or its packages cannot be had."""

    @staticmethod
    def prepare():
        if not shutil.which("npm"):
            print("the peer is left out: npm is not here")
            return None
        folder = os.path.join(ROOT, "build", "bench-peer")
        os.makedirs(folder, exist_ok=True)
        for name in os.listdir(f"{HERE}/peer"):
            shutil.copy(f"{HERE}/peer/{name}", folder)
        if not os.path.isdir(f"{folder}/node_modules"):
            done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=folder, capture_output=True, text=True)
            if done.returncode:
                print("the peer is left out: npm install failed")
                return None
        return Peer(folder)

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.environment = {**os.environ, "PEER_KEYS": f"{folder}/keys", "PEER_HANDLE": "bench-handle-0123456789abcdef"}
        self.token = subprocess.run(["node", "issue.mjs", f"http://127.0.0.1:{self.port}/mcp"], cwd=folder, env=self.environment,
                                    capture_output=True, text=True, check=True).stdout.strip()

    def start(self):
        child = subprocess.Popen(["node", "http-server.mjs", str(self.port), f"{self.folder}/peer.sqlite"], cwd=self.folder,
                                 env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(self.port, child)
        return child


def end(child):
    child.terminate()
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def discover_line():
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}).encode() + b"\n"


def stdio_start_ms(command, cwd=None, env=None):
    begin = time.perf_counter()
    child = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    child.stdin.write(discover_line())
    child.stdin.flush()
    answer = json.loads(child.stdout.readline())
    took = (time.perf_counter() - begin) * 1000
    child.stdin.close()
    child.wait(10)
    if "result" not in answer:
        raise RuntimeError(f"no discover result: {answer}")
    return took


def bench_stdio_start(programs, peer, runs):
    world = tempfile.mkdtemp(prefix="postern-bench-db-")
    subprocess.run([f"{programs}/postern-desk", "seed", "--db", world], check=True, capture_output=True)
    ours_command = [f"{programs}/postern-desk", "stdio", "--as", "rowan", "--ticket", "T-1042", "--db", world]
    ours, theirs = [], []
    for _ in range(runs):
        ours.append(stdio_start_ms(ours_command))
        if peer:
            theirs.append(stdio_start_ms(["node", "stdio-server.mjs"], peer.folder, peer.environment))
    shutil.rmtree(world, ignore_errors=True)
    row("stdio: start to first server/discover answer", spread(ours, "ms"), "<= 6 ms", statistics.median(ours) <= 6)
    if peer:
        ratio = statistics.median(b / a for a, b in zip(ours, theirs))
        row("  the peer takes", spread(theirs, "ms"))
        row("  times the peer's", f"{ratio:.1f}x", ">= 35x", ratio >= 35)


def bench_http_start(stack, peer, runs):
    token = stack.token()
    handle = None
    ours, theirs = [], []
    for _ in range(runs):
        stack.stop(stack.desk)
        begin = time.perf_counter()
        stack.desk = stack.start("postern-desk", "desk", stack.desk_document)
        status, reply = call(stack.ports["desk"], token, "open_case", {"ticket_id": "T-1042"})
        ours.append((time.perf_counter() - begin) * 1000)
        if status != 200:
            raise RuntimeError(f"open_case: HTTP {status}")
        handle = reply["result"]["structuredContent"]["case_handle"]
        if peer:
            begin = time.perf_counter()
            child = peer.start()
            call(peer.port, peer.token, "get_order", {"case_handle": "bench-handle-0123456789abcdef"})
            theirs.append((time.perf_counter() - begin) * 1000)
            end(child)
    row("HTTP: start to first authenticated 200", spread(ours, "ms"), "<= 15 ms", statistics.median(ours) <= 15)
    if peer:
        ratio = statistics.median(b / a for a, b in zip(ours, theirs))
        row("  the peer takes", spread(theirs, "ms"))
        row("  times the peer's", f"{ratio:.1f}x", ">= 25x", ratio >= 25)
    return handle


def bench_load(stack, peer, handle, rounds, seconds):
    folder = tempfile.mkdtemp(prefix="postern-bench-body-")
    body, peer_body = f"{folder}/ours.json", f"{folder}/peer.json"
    open(body, "w").write(call_body("get_order", {"case_handle": handle}))
    open(peer_body, "w").write(call_body("get_order", {"case_handle": "bench-handle-0123456789abcdef"}))
    peer_child = peer.start() if peer else None
    idle = resident_mib(stack.desk.pid)
    row("desk: resident memory, idle", f"{idle:.1f} MiB", "<= 12 MiB", idle <= 12)
    goals = {1: 8.5, 16: 20, 64: 20, 256: None}
    for connections, goal in goals.items():
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(wrk(stack.ports["desk"], stack.token(), body, connections, seconds, stack.desk.pid))
            if peer:
                theirs.append(wrk(peer.port, peer.token, peer_body, connections, seconds, peer_child.pid))
        label = f"get_order, {connections} connection{'s' if connections > 1 else ''}"
        of = lambda rows, key: [r[key] for r in rows]
        row(f"{label}: rate", spread(of(ours, "rate"), "/s", 0))
        row("  p50, p99", f"{statistics.median(of(ours, 'p50')):.2f}, {statistics.median(of(ours, 'p99')):.2f} ms")
        row("  CPU a request", spread(of(ours, "cpu"), "us", 0))
        errors = sum(of(ours, "errors"))
        row("  errors", str(errors), "0", errors == 0)
        if peer:
            ratio = statistics.median(a["rate"] / b["rate"] for a, b in zip(ours, theirs))
            p50 = statistics.median(a["p50"] / b["p50"] for a, b in zip(ours, theirs))
            p99 = statistics.median(a["p99"] / b["p99"] for a, b in zip(ours, theirs))
            cpu = statistics.median(a["cpu"] / b["cpu"] for a, b in zip(ours, theirs))
            row("  the peer's rate", spread(of(theirs, "rate"), "/s", 0))
            row("  rate against the peer", f"{ratio:.1f}x", f">= {goal}x" if goal else "", ratio >= goal if goal else None)
            row("  p50 against the peer", f"{p50:.3f}", "<= 0.15" if connections == 1 else "", p50 <= 0.15 if connections == 1 else None)
            bound = {64: 1 / 40, 256: 1 / 15}.get(connections)
            row("  p99 against the peer", f"{p99:.4f}", f"<= {bound:.4f}" if bound else "", p99 <= bound if bound else None)
            row("  CPU a request against the peer", f"{cpu:.3f}", "<= 0.065", cpu <= 0.065)
    loaded = resident_mib(stack.desk.pid)
    row("desk: resident memory, after 256 connections", f"{loaded:.1f} MiB", "<= 16 MiB", loaded <= 16)
    if peer:
        row("  the peer's", f"{resident_mib(peer_child.pid):.1f} MiB")
        end(peer_child)
    shutil.rmtree(folder, ignore_errors=True)


def bench_host(programs, runs):
    walls, cpus, peaks = [], [], []
    for _ in range(runs):
        state = tempfile.mkdtemp(prefix="postern-bench-state-")
        begin = time.perf_counter()
        child = subprocess.Popen([f"{programs}/postern-lab", "run", "T-1042", "--supervisor", "approve"], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "XDG_STATE_HOME": state})
        _, status, usage = os.wait4(child.pid, 0)
        if status:
            raise RuntimeError(f"the run ended with {os.waitstatus_to_exitcode(status)}")
        walls.append((time.perf_counter() - begin) * 1000)
        cpus.append((usage.ru_utime + usage.ru_stime) * 1000)
        peaks.append(usage.ru_maxrss / 1024)
        shutil.rmtree(state, ignore_errors=True)
    row("one whole run with stack, double and supervisor: wall", spread(walls, "ms", 0))
    row("  CPU of all its processes", spread(cpus, "ms", 0))
    row("  the largest process", spread(peaks, "MiB", 1), "<= 12 MiB (host)", statistics.median(peaks) <= 12)


def bench_parts(quick):
    program = os.path.join(ROOT, "build", "release", "tests", "bench", "bench-parts")
    if not os.path.exists(program):
        print("the parts are left out: bench-parts is not built")
        return
    out = subprocess.run([program, "--benchmark_format=json", "--benchmark_repetitions=3", "--benchmark_min_time=" + ("0.05" if quick else "0.3")],
                         capture_output=True, text=True, check=True).stdout
    goals = {"RedactWireLine": (8.0, "us"), "SchemaWorstCase64K": (50_000.0, "us"), "DurableCommit": None}
    for entry in json.loads(out)["benchmarks"]:
        if entry.get("aggregate_name") != "median":
            continue
        name = entry["run_name"]
        micros = entry["cpu_time"] / 1000 if entry["time_unit"] == "ns" else entry["cpu_time"]
        speed = f", {entry['bytes_per_second'] / 1e6:.0f} MB/s" if "bytes_per_second" in entry else ""
        goal = goals.get(name)
        row(f"part: {name}", f"{micros:.2f} us{speed}", f"<= {goal[0]:.0f} us" if goal else "", micros <= goal[0] if goal else None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--no-peer", action="store_true")
    options = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("wrk is missing (Debian package wrk)")
    peer = None if options.no_peer else Peer.prepare()
    rounds, seconds, runs = (2, 1, 5) if options.quick else (5, 3, 15)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; medians (minimum to maximum) of {rounds} rounds of {seconds} s, {runs} starts")
    bench_parts(options.quick)
    bench_stdio_start(options.bin, peer, runs)
    stack = Stack(options.bin)
    try:
        handle = bench_http_start(stack, peer, runs)
        bench_load(stack, peer, handle, rounds, seconds)
    finally:
        stack.close()
        shutil.rmtree(stack.folder, ignore_errors=True)
    bench_host(options.bin, 3 if options.quick else 5)


main()
