// Who can talk with whom: each host against each server, from real runs. `postern-lab interop` and a test run it.
// usage: interop.mjs [--client ID] [--server ID] [--claude] [--check] [--json], with POSTERN_BIN and POSTERN_PEERS
//
// A pairing connects, lists the tools and calls one. Its cell is the revision that was spoken, or "-" and why not. What a call gives counts only as far
// as that it gave something: public servers here have neither network nor account. --check holds the matrix against interop.json; a host or server that
// is not installed is left out, and said so.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {Desk} from './desk.mjs';
import {claudeProgram, inspectorScript, peers, requireFrom, run} from './programs.mjs';

const bin = process.env.POSTERN_BIN;
const here = path.dirname(new URL(import.meta.url).pathname);
const option = (name) => process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined;
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'postern-interop-'));
const node = process.execPath;
const modern = '2026-07-28', older = '2025-11-25';

const packaged = (name) => path.join(peers, 'public/node_modules/.bin', name);
const sandbox = path.join(home, 'sandbox');
fs.mkdirSync(sandbox);
fs.writeFileSync(path.join(sandbox, 'note.txt'), 'a note\n');

// What stands under `command` is started for each pairing anew; `tool` is called with `args`.
const servers = {
  'desk-stdio': {command: [path.join(bin, 'postern-desk'), 'stdio', '--as', 'rowan', '--ticket', 'T-1042'], tool: 'open_case', args: {ticket_id: 'T-1042'}},
  'desk-http': {http: true, tool: 'open_case', args: {ticket_id: 'T-1042'}},
  'desk-both-eras': {command: [path.join(bin, 'postern-desk'), 'stdio', '--as', 'rowan', '--ticket', 'T-1042', '--older-era'], tool: 'open_case',
                     args: {ticket_id: 'T-1042'}},
  'sdk2-entry': {command: [node, path.join(here, 'interop_server.mjs'), 'entry'], needs: 'tsref', tool: 'say', args: {text: 'a'}},
  'sdk2-connected': {command: [node, path.join(here, 'interop_server.mjs'), 'connected'], needs: 'tsref', tool: 'say', args: {text: 'a'}},
  'sdk1': {command: [node, path.join(here, 'interop_server.mjs'), 'sdk1'], needs: 'sdk1', tool: 'say', args: {text: 'a'}},
  'context7': {command: [node, packaged('context7-mcp')], needs: 'public', tool: 'resolve-library-id', args: {libraryName: 'cmake', query: 'cmake'}},
  'mongodb': {command: [node, packaged('mongodb-mcp-server'), '--readOnly'], needs: 'public', tool: 'list-databases', args: {connectionId: 'none'}},
  'onepassword': {command: [node, packaged('1password-mcp')], needs: 'public', tool: undefined, args: {}},
  'filesystem': {command: [node, packaged('mcp-server-filesystem'), sandbox], needs: 'public', tool: 'read_text_file', args: {path: path.join(sandbox, 'note.txt')}},
  'everything': {command: [node, packaged('mcp-server-everything'), 'stdio'], needs: 'public', tool: 'echo', args: {message: 'a'}},
  'memory': {command: [node, packaged('mcp-server-memory')], needs: 'public', tool: 'read_graph', args: {}},
};

const short = (text) => String(text).replace(/\s+/g, ' ').slice(0, 120);
const spoken = (revision) => ({cell: revision});
const not = (why) => ({cell: '-', why: short(why)});
const childEnv = {PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', POSTERN_PEERS: peers, MDB_MCP_TELEMETRY: 'disabled'};

// Our host: the server's configuration, its definitions reviewed and accepted, one tool called by hand.
async function ours(era, id, server) {
  const place = fs.mkdtempSync(path.join(home, `ours-${era}-`));
  const config = server.http
    ? {type: 'http', url: desk.url, bearer_token_env: 'DESK_TOKEN'}
    : {command: server.command[0], args: server.command.slice(1), env: {POSTERN_PEERS: peers, MDB_MCP_TELEMETRY: 'disabled'}};
  fs.mkdirSync(path.join(place, 'postern'));
  fs.writeFileSync(path.join(place, 'postern/config.json'), JSON.stringify({mcpServers: {[id]: {...config, era}}}));
  const env = {PATH: process.env.PATH, HOME: place, LANG: 'C.UTF-8', XDG_CONFIG_HOME: place, XDG_STATE_HOME: path.join(place, 'state'),
               ...server.http && {DESK_TOKEN: await desk.token()}};
  const postern = (...args) => run(path.join(bin, 'postern'), args, {env, seconds: 60});
  const reviewed = await postern('pins', 'review', '--server-name', id);
  if (reviewed.code !== 0) return not(reviewed.err);
  const tool = server.tool ?? firstTool(place, id);
  const accepted = await postern('pins', 'accept', '--server-name', id, '--reviewer', 'Morgan Ellis', '--no-confirm', tool);
  if (accepted.code !== 0) return not(accepted.err);
  const called = await postern('call', id, tool, JSON.stringify(server.args));
  const revision = /MCP (20\d\d-\d\d-\d\d)/.exec(called.err)?.[1];
  return called.out && revision ? spoken(revision) : not(called.err);
}

function firstTool(place, id) {
  return JSON.parse(fs.readFileSync(path.join(place, `postern/pins/${id}.review.json`), 'utf8')).tools[0].name;
}

// The TypeScript SDK 2.x in one of its postures.
async function sdk2(mode, id, server) {
  const sdk = requireFrom('tsref');
  const {Client, StreamableHTTPClientTransport} = sdk('@modelcontextprotocol/client');
  const {StdioClientTransport} = sdk('@modelcontextprotocol/client/stdio');
  const client = new Client({name: 'sdk2-client', version: '1.0.0'}, {capabilities: {}, versionNegotiation: {mode}});
  return withSdk(client, StdioClientTransport, StreamableHTTPClientTransport, server, () => client.getNegotiatedProtocolVersion());
}

// The TypeScript SDK 1.x, which knows nothing of 2026-07-28.
async function sdk1(id, server) {
  const sdk = requireFrom('sdk1');
  const {Client} = sdk('@modelcontextprotocol/sdk/client/index.js');
  const {StdioClientTransport} = sdk('@modelcontextprotocol/sdk/client/stdio.js');
  const {StreamableHTTPClientTransport} = sdk('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const client = new Client({name: 'sdk1-client', version: '1.0.0'}, {capabilities: {}});
  return withSdk(client, StdioClientTransport, StreamableHTTPClientTransport, server, () => older);
}

async function withSdk(client, Stdio, Http, server, revision) {
  const transport = server.http
    ? new Http(new URL(desk.url), {requestInit: {headers: {Authorization: `Bearer ${await desk.token()}`}}})
    : new Stdio({command: server.command[0], args: server.command.slice(1), env: childEnv, stderr: 'ignore'});
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('no answer in 20 s')), 20_000); });
  try {
    await Promise.race([client.connect(transport), late]);
    const {tools} = await Promise.race([client.listTools(), late]);
    await Promise.race([client.callTool({name: server.tool ?? tools[0].name, arguments: server.args}), late]);
    return spoken(revision());
  } catch (error) {
    return not(error.message);
  } finally {
    clearTimeout(timer);
    await client.close().catch(() => {});
  }
}

async function inspector(id, server) {
  const target = server.http
    ? ['--stored-auth-only', '--transport', 'http', '--server-url', desk.url, '--header', `Authorization: Bearer ${await desk.token()}`]
    : [...Object.entries(server.needs ? {POSTERN_PEERS: peers, MDB_MCP_TELEMETRY: 'disabled'} : {}).flatMap(([k, v]) => ['-e', `${k}=${v}`]), '--', ...server.command];
  const ran = await run(node, [inspectorScript, '--cli', '--protocol-era', 'modern', '--format', 'json', '-q', '--method', 'tools/list', ...target],
                        {env: {...process.env, HOME: home, NO_COLOR: '1'}, seconds: 40});
  return ran.code === 0 ? spoken(modern) : not(ran.err || ran.out);
}

async function claude(id, server) {
  const place = fs.mkdtempSync(path.join(home, 'claude-'));
  const env = {...childEnv, HOME: place, DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1'};
  const add = server.http
    ? ['mcp', 'add', '--transport', 'http', id, desk.url, '--header', `Authorization: Bearer ${await desk.token()}`]
    : ['mcp', 'add', id, '--', ...server.command];
  await run(claudeProgram(), add, {env, cwd: place, seconds: 40});
  const listed = await run(claudeProgram(), ['mcp', 'list'], {env, cwd: place, seconds: 60});
  return /Connected/.test(listed.out) ? spoken('connected') : not(listed.out);
}

const hosts = {
  'postern-pinned': {run: (id, server) => ours('pin', id, server)},
  'postern-auto': {run: (id, server) => ours('auto', id, server)},
  'sdk2-pinned': {needs: 'tsref', run: (id, server) => sdk2({pin: modern}, id, server)},
  'sdk2-auto': {needs: 'tsref', run: (id, server) => sdk2('auto', id, server)},
  'sdk2-legacy': {needs: 'tsref', run: (id, server) => sdk2('legacy', id, server)},
  'sdk1': {needs: 'sdk1', run: sdk1},
  'inspector': {needs: 'insp', run: inspector},
  'claude-code': {needs: 'cc', run: claude, optional: '--claude'},
};

const installed = (name) => !name || fs.existsSync(path.join(peers, name, 'node_modules'));
function chosen(all, only) {
  if (only && !all[only]) {
    console.error(`interop: there is no "${only}". There are ${Object.keys(all).join(', ')}`);
    process.exit(2);
  }
  return Object.entries(all).filter(([id, one]) => {
    if (only ? id !== only : one.optional && !process.argv.includes(one.optional)) return false;
    if (!installed(one.needs)) console.error(`interop: ${id} is left out, ${one.needs} is not installed (./dev test --peers)`);
    return installed(one.needs);
  });
}

function print(matrix, columns) {
  const width = Math.max(...Object.keys(matrix).map((id) => id.length)) + 2;
  console.log(' '.repeat(width) + columns.map((id) => id.padEnd(16)).join('').trimEnd());
  for (const [server, row] of Object.entries(matrix)) {
    console.log(server.padEnd(width) + columns.map((id) => row[id].cell.padEnd(16)).join('').trimEnd());
  }
  console.log('');
  for (const [server, row] of Object.entries(matrix)) {
    for (const id of columns) if (row[id].why) console.log(`${id} to ${server}: ${row[id].why}`);
  }
}

let desk;
const columns = chosen(hosts, option('--client'));
const rows = chosen(servers, option('--server'));
try {
  if (rows.some(([, server]) => server.http)) desk = await Desk.start(bin, fs.mkdtempSync(path.join(home, 'desk-')));
  const matrix = {};
  for (const [id, server] of rows) {
    matrix[id] = {};
    const pairings = columns.map(([host, {run: pair}]) => async () => {
      matrix[id][host] = await pair(id, server).catch((error) => not(error.message));
    });
    for (let i = 0; i < pairings.length; i += 2) await Promise.all(pairings.slice(i, i + 2).map((pairing) => pairing()));
  }
  if (process.argv.includes('--json')) console.log(JSON.stringify(matrix, null, 1));
  else print(matrix, columns.map(([id]) => id));
  if (process.argv.includes('--check')) {
    const expected = JSON.parse(fs.readFileSync(path.join(here, 'interop.json'), 'utf8'));
    const wrong = [];
    for (const [server, row] of Object.entries(matrix)) {
      for (const [host, {cell, why}] of Object.entries(row)) {
        if (cell !== expected[server]?.[host]) wrong.push(`${host} to ${server}: ${cell}, expected ${expected[server]?.[host]}${why ? `: ${why}` : ''}`);
      }
    }
    for (const line of wrong) console.error(`interop: ${line}`);
    console.error(`interop: ${rows.length} servers, ${columns.length} hosts, ${wrong.length} pairings differ from what is expected`);
    process.exitCode = wrong.length ? 1 : 0;
  }
} finally {
  await desk?.close();
  fs.rmSync(home, {recursive: true, force: true, maxRetries: 5, retryDelay: 100});
}
process.exit();
