#!/usr/bin/env python3
"""The benchmarks: each figure is a median with its minimum and maximum, printed beside its goal; comparisons with the peer are
paired inside one run. Nothing is asserted. usage: bench.py [--quick] [--bin DIR] [--no-peer]"""
import argparse, json, os, re, shutil, sqlite3, statistics, subprocess, sys, tempfile, time
from stack import Stack, call, call_body, free_port, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TICKS = os.sysconf("SC_CLK_TCK")
GOALS = NOT_MET = 0


def spread(values, unit, digits=2):
    return f"{statistics.median(values):.{digits}f} {unit} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def row(name, figure, goal="", met=None):
    global GOALS, NOT_MET
    GOALS += met is not None
    NOT_MET += met is not None and not met
    verdict = "" if met is None else "met" if met else "NOT MET"
    print(f"{name:<58} {figure:<44} {goal:<24} {verdict}", flush=True)


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def status_mib(pid, field):
    return int(re.search(field + r":\s+(\d+)", open(f"/proc/{pid}/status").read())[1]) / 1024


def memory_row(name, pid, goal):
    whole, own = status_mib(pid, "VmRSS"), status_mib(pid, "RssAnon")
    row(name, f"{whole:.1f} MiB ({own:.1f} its own, else file pages)", f"<= {goal} MiB" if goal else "", whole <= goal if goal else None)


def wrk(port, token, body_file, connections, seconds, pid, tokens_file=""):
    before = cpu_seconds(pid)
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "5s", "-s", f"{HERE}/post.lua",
                          f"http://127.0.0.1:{port}/mcp"], capture_output=True, text=True, timeout=seconds * 4 + 20,
                         env={**os.environ, "BENCH_BODY": body_file, "BENCH_TOKEN": token, "BENCH_TOKENS": tokens_file}).stdout
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
    command = [f"{programs}/postern-desk", "stdio", "--as", "rowan", "--ticket", "T-1042"]
    ours, fresh, theirs = [], [], []
    for _ in range(runs):
        ours.append(stdio_start_ms(command + ["--db", world]))
        fresh.append(stdio_start_ms(command))
        if peer:
            theirs.append(stdio_start_ms(["node", "stdio-server.mjs"], peer.folder, peer.environment))
    shutil.rmtree(world, ignore_errors=True)
    row("stdio: start to first server/discover answer", spread(ours, "ms"), "<= 6 ms", statistics.median(ours) <= 6)
    row("  with a world of its own, seeded at start", spread(fresh, "ms"))
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


def of(rows, key):
    return [r[key] for r in rows]


def load_rows(label, ours, theirs, connections, goal):
    row(f"{label}: rate", spread(of(ours, "rate"), "/s", 0))
    row("  p50, p99", f"{statistics.median(of(ours, 'p50')):.2f}, {statistics.median(of(ours, 'p99')):.2f} ms",
        "p99 <= 40 ms" if connections == 256 else "", statistics.median(of(ours, "p99")) <= 40 if connections == 256 else None)
    row("  CPU a request", spread(of(ours, "cpu"), "us", 0))
    errors = sum(of(ours, "errors"))
    row("  errors", str(errors), "0", errors == 0)
    if not theirs:
        return
    against = lambda key: statistics.median(a[key] / b[key] for a, b in zip(ours, theirs))
    ratio, p50, p99, cpu = against("rate"), against("p50"), against("p99"), against("cpu")
    row("  the peer's rate", spread(of(theirs, "rate"), "/s", 0))
    row("  rate against the peer", f"{ratio:.1f}x", f">= {goal}x" if goal else "", ratio >= goal if goal else None)
    row("  p50 against the peer", f"{p50:.3f}", "<= 0.15" if connections == 1 else "", p50 <= 0.15 if connections == 1 else None)
    bound = {64: 1 / 40, 256: 1 / 15}.get(connections)
    row("  p99 against the peer", f"{p99:.4f}", f"<= {bound:.4f}" if bound else "", p99 <= bound if bound else None)
    row("  CPU a request against the peer", f"{cpu:.3f}", "<= 0.065" if goal != 9 else "", cpu <= 0.065 if goal != 9 else None)


def write_tokens(stack, path, count):
    """More tokens than the desk keeps as verified, so that in turn each is verified anew."""
    with open(path, "w") as file:
        for _ in range(count):
            file.write(stack.token() + "\n")


def bench_load(stack, peer, handle, rounds, seconds, tokens):
    folder = tempfile.mkdtemp(prefix="postern-bench-body-")
    body, peer_body, tokens_file = f"{folder}/ours.json", f"{folder}/peer.json", f"{folder}/tokens"
    with open(body, "w") as file:
        file.write(call_body("get_order", {"case_handle": handle}))
    with open(peer_body, "w") as file:
        file.write(call_body("get_order", {"case_handle": "bench-handle-0123456789abcdef"}))
    peer_child = peer.start() if peer else None
    memory_row("desk: resident memory, idle", stack.desk.pid, 12)
    if peer:
        memory_row("  the peer's", peer_child.pid, None)

    def rotate(connections, tokens_file=""):
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(wrk(stack.ports["desk"], stack.token(), body, connections, seconds, stack.desk.pid, tokens_file))
            if peer:
                theirs.append(wrk(peer.port, peer.token, peer_body, connections, seconds, peer_child.pid))
        return ours, theirs

    for connections, goal in {1: 8.5, 16: 20, 64: 20, 256: None}.items():
        ours, theirs = rotate(connections)
        load_rows(f"get_order, {connections} connection{'s' if connections > 1 else ''}", ours, theirs, connections, goal)
    threads = len(os.listdir(f"/proc/{stack.desk.pid}/task"))
    row("desk: threads after 256 connections", str(threads), "<= 4", threads <= 4)
    memory_row("desk: resident memory, after 256 connections", stack.desk.pid, 16)
    if peer:
        memory_row("  the peer's", peer_child.pid, None)
    if tokens:
        write_tokens(stack, tokens_file, tokens)
        ours, theirs = rotate(16, tokens_file)
        load_rows("get_order, 16 connections, each token verified anew", ours, theirs, 16, 9)
    if peer:
        end(peer_child)
    shutil.rmtree(folder, ignore_errors=True)


def child_named(parent, name):
    """The pid of that child, or nothing."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            command, fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)
            if command.split("(", 1)[1] == name and int(fields.split()[1]) == parent:
                return int(pid)
        except OSError:
            pass
    return None


def watch_host(lab):
    """Waits for the end of the lab's run; the largest resident size of the host that was seen meanwhile."""
    host, peak = None, 0.0
    while lab.poll() is None:
        host = host or child_named(lab.pid, "postern")
        if host:
            try:
                peak = max(peak, status_mib(host, "VmHWM"))
            except (OSError, TypeError):
                pass
        time.sleep(0.005)
    return peak


def at_ms(line):
    hours, minutes, rest = line["at"][11:-1].split(":")
    return (int(hours) * 60 + int(minutes)) * 60_000 + float(rest) * 1000


def read_wire(state):
    """Milliseconds of the run without its longest pause, in which the host waits before it asks again; and those of each tool call."""
    runs = os.path.join(state, "postern", "runs")
    with open(os.path.join(runs, os.listdir(runs)[0], "wire.jsonl")) as file:
        lines = [json.loads(text) for text in file]
    times = [at_ms(line) for line in lines]
    pause = max(b - a for a, b in zip(times, times[1:]))
    begun, calls = {}, []
    for line, at in zip(lines, times):
        if line["kind"] != "bytes" or "server" not in (line["from"], line["to"]):
            continue
        if line["from"] == "host":
            body = line.get("body", "")
            reads = '"tools/call"' in body and '"name":"get_' in body
            begun[line["exchange"]] = (at, reads)
        elif begun.get(line["exchange"], (0, False))[1]:
            calls.append(at - begun[line["exchange"]][0])
    return times[-1] - times[0] - pause, calls


def bench_host(programs, runs):
    walls, hosts, peaks, calls = [], [], [], []
    for _ in range(runs):
        state = tempfile.mkdtemp(prefix="postern-bench-state-")
        begin = time.perf_counter()
        lab = subprocess.Popen([f"{programs}/postern-lab", "run", "T-1042", "--supervisor", "approve"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "XDG_STATE_HOME": state})
        peaks.append(watch_host(lab))
        if lab.returncode:
            raise RuntimeError(f"the run ended with {lab.returncode}")
        walls.append((time.perf_counter() - begin) * 1000)
        own, of_calls = read_wire(state)
        hosts.append(own)
        calls += of_calls
        shutil.rmtree(state, ignore_errors=True)
    row("one ticket with stack, double and supervisor: wall", spread(walls, "ms", 0))
    row("  first to last line of its wire log, without the pause", spread(hosts, "ms", 0), "<= 20 ms", statistics.median(hosts) <= 20)
    row("  a reading call, mean by its wire log", f"{statistics.mean(calls):.2f} ms ({min(calls):.0f} to {max(calls):.0f})")
    row("  the host's peak", spread(peaks, "MiB", 1), "<= 12 MiB", statistics.median(peaks) <= 12)


def parts_program(programs):
    for build in (os.path.dirname(os.path.abspath(programs)), os.path.join(ROOT, "build", "release")):
        program = os.path.join(build, "tests", "bench", "bench-parts")
        if os.path.exists(program):
            return program
    return None


def run_parts(program, seconds, only=""):
    """Microseconds of each part and its bytes a second."""
    os.makedirs(os.path.join(ROOT, "build"), exist_ok=True)
    out = subprocess.run([program, "--benchmark_format=json", "--benchmark_repetitions=3", f"--benchmark_min_time={seconds}",
                          f"--benchmark_filter={only or '.'}"], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    scale = {"ns": 1e-3, "us": 1.0, "ms": 1e3}
    return {entry["run_name"]: entry for entry in json.loads(out)["benchmarks"] if entry.get("aggregate_name") == "median"}, scale


def bare_commit_us(commits):
    """The median of a one-row transaction in WAL and FULL, through SQLite alone."""
    folder = tempfile.mkdtemp(prefix="bench-bare-", dir=os.path.join(ROOT, "build"))
    connection = sqlite3.connect(folder + "/t.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT)")
    begin = time.perf_counter()
    for _ in range(commits):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO t(text) VALUES ('one refund')")
        connection.execute("COMMIT")
    took = (time.perf_counter() - begin) / commits * 1e6
    connection.close()
    shutil.rmtree(folder)
    return took


def bench_parts(programs, quick):
    program = parts_program(programs)
    if not program:
        print("the parts are left out: bench-parts is not built")
        return
    goals = {"RedactWireLine": 8.0, "RedactAndWriteWireLine": 12.0}
    entries, scale = run_parts(program, 0.05 if quick else 0.3)
    for name, entry in entries.items():
        if name.startswith("DurableCommit"):
            continue  # below, in turn with SQLite alone
        micros = entry["cpu_time"] * scale[entry["time_unit"]]
        speed = f", {entry['bytes_per_second'] / 1e6:.0f} MB/s" if "bytes_per_second" in entry else ""
        goal = 50_000.0 if name.startswith("SchemaWorstCase64K/") else goals.get(name)
        row(f"part: {name}", f"{micros:.2f} us{speed}", f"<= {goal:.0f} us" if goal else "", micros <= goal if goal else None)
    ours, bare = [], []
    for _ in range(3 if quick else 7):
        bare.append(bare_commit_us(100 if quick else 400))
        entry = run_parts(program, 0.05, "DurableCommit")[0]["DurableCommit/real_time"]
        ours.append(entry["real_time"] * scale[entry["time_unit"]])
    ratio = statistics.median(a / b for a, b in zip(ours, bare))
    row("part: DurableCommit, waits for the disk", spread(ours, "us", 0))
    row("  times that of SQLite alone", f"{ratio:.2f}", "<= 1.3", ratio <= 1.3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--no-peer", action="store_true")
    options = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("wrk is missing (Debian package wrk)")
    peer = None if options.no_peer else Peer.prepare()
    rounds, seconds, runs, tokens = (2, 1, 5, 0) if options.quick else (5, 3, 15, 4500)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; "
          f"medians (minimum to maximum) of {rounds} rounds of {seconds} s, {runs} starts")
    bench_parts(options.bin, options.quick)
    bench_stdio_start(options.bin, peer, runs)
    stack = Stack(options.bin)
    try:
        handle = bench_http_start(stack, peer, runs)
        bench_load(stack, peer, handle, rounds, seconds, tokens)
    finally:
        stack.close()
        shutil.rmtree(stack.folder, ignore_errors=True)
    bench_host(options.bin, 3 if options.quick else 5)
    print(f"load at the end {os.getloadavg()[0]:.1f}; {NOT_MET} of {GOALS} goals not met")


main()
