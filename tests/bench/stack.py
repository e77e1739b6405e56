"""Starts the product's servers on free loopback ports, as a parent does: a launch document on stdin, which stays open as the lifeline."""
import base64, hashlib, http.client, json, os, secrets, socket, subprocess, tempfile, time, urllib.parse


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port, process, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 0.3).close()
            return
        except OSError:
            if process.poll() is not None:
                raise RuntimeError(f"a server ended with {process.returncode}")
            time.sleep(0.0003)
    raise RuntimeError("a server does not listen")


def b64(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class Stack:
    """Issuer, payments, approvals and desk. close() ends them by closing their stdin."""

    def __init__(self, programs):
        self.programs = programs
        self.folder = tempfile.mkdtemp(prefix="postern-bench-")
        self.children = []
        self.ports = {name: free_port() for name in ("issuer", "payments", "approvals", "page", "desk")}
        origin = {name: f"http://127.0.0.1:{port}" for name, port in self.ports.items()}
        self.issuer, self.resource = origin["issuer"], origin["desk"] + "/mcp"
        operations = ("customers:read", "orders:read", "returns:read", "approvals:request", "payments:refund", "payments:read")
        self.credentials = {name: "svc_" + secrets.token_urlsafe(24) for name in operations}
        admitted = {name: hashlib.sha256(value.encode()).hexdigest() for name, value in self.credentials.items()}
        self.headless_secret = "hs_" + secrets.token_urlsafe(24)
        seed = os.urandom(32)
        pick = lambda table, *names: {name: table[name] for name in names}
        reads = ("customers:read", "orders:read", "returns:read")
        databases = self.folder + "/world"
        self.start("postern-issuer", "issuer", {
            "issuer": self.issuer, "port": self.ports["issuer"], "headless_secret": self.headless_secret,
            "clients": [
                {"client_id": "postern-host", "name": "Postern host", "application_type": "native", "redirect_uris": ["http://127.0.0.1/callback"],
                 "scopes": ["desk:read", "refunds:write"], "resources": [self.resource], "headless": True},
                {"client_id": "postern-approvals", "name": "Approval page", "application_type": "web",
                 "redirect_uris": [origin["page"] + "/callback"], "scopes": ["openid", "desk:read", "refunds:approve"],
                 "resources": [origin["page"] + "/approvals"], "first_party": True}]})
        self.start("postern-payments", "payments", {
            "database_dir": databases, "port": self.ports["payments"], "seed": True, "approval_public_key": self.public_key(seed),
            "admitted": pick(admitted, "payments:refund", "payments:read")})
        self.desk_document = {
            "issuer": self.issuer, "resource": self.resource, "database_dir": databases, "seed": True, "port": self.ports["desk"],
            "service_credentials": self.credentials, "admitted": pick(admitted, *reads), "approvals_url": origin["approvals"],
            "payments_url": origin["payments"], "page_origin": origin["page"], "key_ring_file": self.folder + "/key-ring.json",
            # One caller asks for all that a process gives: what is measured is the desk, and not its limit of a caller.
            "limits": {name: {"per_second": 1000000, "burst": 1000000} for name in ("principal", "address")}}
        self.desk = self.start("postern-desk", "desk", self.desk_document)

    @staticmethod
    def public_key(seed):
        """Any valid key will do where nothing is approved: this one is RFC 8032's first test key."""
        del seed
        return b64(bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))

    def start(self, program, socket_name, document):
        child = subprocess.Popen([os.path.join(self.programs, program), "serve", "--config", "-"], stdin=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL, stderr=open(f"{self.folder}/{program}.log", "ab"))
        child.stdin.write(json.dumps(document).encode() + b"\n")
        child.stdin.flush()
        self.children.append(child)
        wait_for(self.ports[socket_name], child)
        return child

    def stop(self, child):
        child.stdin.close()
        child.wait(5)
        self.children.remove(child)

    def token(self, person="rowan", scope="desk:read"):
        verifier = secrets.token_urlsafe(48)
        redirect = "http://127.0.0.1:1/callback"
        form = {"response_type": "code", "client_id": "postern-host", "redirect_uri": redirect, "state": secrets.token_urlsafe(16),
                "code_challenge": b64(hashlib.sha256(verifier.encode()).digest()), "code_challenge_method": "S256",
                "resource": self.resource, "scope": scope, "person": person, "secret": self.headless_secret}
        location = self.post("/headless", form)[1]["Location"]
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)["code"][0]
        body = self.post("/token", {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect,
                                    "client_id": "postern-host", "code_verifier": verifier, "resource": self.resource})[2]
        return json.loads(body)["access_token"]

    def post(self, path, form):
        connection = http.client.HTTPConnection("127.0.0.1", self.ports["issuer"], timeout=5)
        connection.request("POST", path, urllib.parse.urlencode(form), {"Content-Type": "application/x-www-form-urlencoded"})
        reply = connection.getresponse()
        return reply.status, dict(reply.getheaders()), reply.read()

    def close(self):
        for child in reversed(self.children[:]):
            try:
                self.stop(child)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def call_body(name, arguments, request_id=7):
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": {
        "name": name, "arguments": arguments, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1.0.0"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"url": {}}}}}}, separators=(",", ":"))


def call(port, token, name, arguments):
    """One tools/call; the parsed result and the status."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("POST", "/mcp", call_body(name, arguments), {
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call", "Mcp-Name": name, "Authorization": "Bearer " + token})
    reply = connection.getresponse()
    text = reply.read()
    return reply.status, json.loads(text) if text else None
