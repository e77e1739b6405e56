// The desk as a parent starts it: an issuer and a desk on loopback sockets that are bound here and handed down, each with its launch document on
// stdin, which stays open as its lifeline. Tokens come by the issuer's headless way, as in a local run.
import {spawn} from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';

const operations = ['customers:read', 'orders:read', 'returns:read', 'approvals:request', 'payments:refund', 'payments:read'];
const secret = (prefix) => prefix + crypto.randomBytes(24).toString('base64url');
const sha256 = (text) => crypto.createHash('sha256').update(text).digest('hex');
const redirect = 'http://127.0.0.1:1/callback';

// One HTTP request: {status, headers, body}. Not by fetch(), which says Sec-Fetch-Mode whoever asks, and follows redirects.
export function send(method, url, {form, headers = {}} = {}) {
  const all = {...form && {'Content-Type': 'application/x-www-form-urlencoded'}, ...headers};
  return new Promise((resolve, reject) => {
    const request = http.request(url, {method, headers: all, timeout: 10_000, agent: false}, (reply) => {
      let body = '';
      reply.on('data', (piece) => { body += piece; }).on('error', reject);
      reply.on('end', () => resolve({status: reply.statusCode, headers: reply.headers, body}));
    });
    request.on('error', reject).on('timeout', () => request.destroy(new Error(`no answer from ${url}`)));
    request.end(form && new URLSearchParams(form).toString());
  });
}

// A bound socket that no program serves yet: {port, descriptor, release}.
export async function bind() {
  const server = net.createServer();
  await new Promise((resolve, reject) => server.listen(0, '127.0.0.1', resolve).on('error', reject));
  return {port: server.address().port, descriptor: server._handle.fd, release: () => server.close()};
}

// Starts `program serve` on the socket. close() ends it by the end of its stdin.
export function serve(program, name, socket, document, log) {
  const child = spawn(program, ['serve', '--config', '-'], {
    env: {...process.env, LISTEN_FDS: '1', LISTEN_FDNAMES: name},
    stdio: ['pipe', 'ignore', fs.openSync(log, 'a'), socket.descriptor],
  });
  const ended = new Promise((resolve) => child.on('close', resolve).on('error', resolve));
  socket.release();
  child.stdin.on('error', () => {});
  child.stdin.write(JSON.stringify(document) + '\n');
  return async () => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), 8000);
    await ended;
    clearTimeout(timer);
  };
}

export class Desk {
  // Programs of `bin`; databases and logs in `folder`; `more`: members of the desk's launch document, or what gives them for its
  // URL; `issuerMore`: what the issuer's has too, of
  // the desk's URL.
  static async start(bin, folder, more = {}, issuerMore = () => ({})) {
    const desk = new Desk();
    const [issuer, own] = [await bind(), await bind()];
    desk.issuer = `http://127.0.0.1:${issuer.port}`;
    desk.origin = `http://127.0.0.1:${own.port}`;
    desk.url = `${desk.origin}/mcp`;
    desk.secret = secret('hs_');
    const credentials = Object.fromEntries(operations.map((name) => [name, secret('svc_')]));
    const admitted = Object.fromEntries(operations.slice(0, 3).map((name) => [name, sha256(credentials[name])]));
    const closed = 'http://127.0.0.1:1';  // approvals and payments: nothing here pays
    desk.closers = [
      serve(path.join(bin, 'postern-issuer'), 'issuer', issuer, {
        issuer: desk.issuer,
        headless_secret: desk.secret,
        clients: [{client_id: 'postern-host', name: 'Postern host', application_type: 'native', redirect_uris: ['http://127.0.0.1/callback'],
                   scopes: ['desk:read', 'refunds:write'], resources: [desk.url], headless: true, first_party: true}],
        ...issuerMore(desk.url),
      }, path.join(folder, 'issuer.log')),
      serve(path.join(bin, 'postern-desk'), 'desk', own, {
        issuer: desk.issuer, resource: desk.url, database_dir: path.join(folder, 'world'), seed: true, service_credentials: credentials, admitted,
        approvals_url: closed, payments_url: closed, page_origin: closed, key_ring_file: path.join(folder, 'key-ring.json'),
        ...typeof more === 'function' ? more(desk.url) : more,
      }, path.join(folder, 'desk.log')),
    ];
    return desk;
  }

  // A fresh access token of that person.
  async token(scope = 'desk:read', person = 'rowan') {
    const verifier = crypto.randomBytes(48).toString('base64url');
    const challenge = crypto.createHash('sha256').update(verifier).digest('base64url');
    const authorized = await this.post('/headless', {
      response_type: 'code', client_id: 'postern-host', redirect_uri: redirect, state: secret(''), code_challenge: challenge,
      code_challenge_method: 'S256', resource: this.url, scope, person, secret: this.secret,
    });
    const code = new URL(authorized.headers.location).searchParams.get('code');
    const granted = await this.post('/token', {
      grant_type: 'authorization_code', code, redirect_uri: redirect, client_id: 'postern-host', code_verifier: verifier, resource: this.url,
    });
    const answer = JSON.parse(granted.body);
    if (!answer.access_token) throw new Error(`the issuer gave no token: ${granted.body}`);
    return answer.access_token;
  }

  post(where, form) {
    return send('POST', this.issuer + where, {form});
  }

  async close() {
    await Promise.all(this.closers.map((close) => close()));
  }
}
