// A server of one tool on somebody else's library, over stdio, for the matrix of who can talk with whom.
// usage: interop_server.mjs entry|connected|sdk1
//   entry      the TypeScript SDK 2.x through its entry point: both eras
//   connected  the same library connected by hand: the era before 2026-07-28 only
//   sdk1       the TypeScript SDK 1.x
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {createRequire} from 'node:module';

const from = (peer) => createRequire(path.join(process.env.POSTERN_PEERS, peer, 'package.json'));
const load = (peer, name) => import(pathToFileURL(from(peer).resolve(name)));
const kind = process.argv[2];
const said = ({text}) => ({content: [{type: 'text', text: `said ${text}`}]});

if (kind === 'sdk1') {
  const {McpServer} = await load('sdk1', '@modelcontextprotocol/sdk/server/mcp.js');
  const {StdioServerTransport} = await load('sdk1', '@modelcontextprotocol/sdk/server/stdio.js');
  const z = await load('sdk1', 'zod');
  const server = new McpServer({name: 'sdk1-server', version: '1.0.0'});
  server.registerTool('say', {description: 'Says it.', inputSchema: {text: z.string()}}, said);
  await server.connect(new StdioServerTransport());
} else {
  const {McpServer} = await load('tsref', '@modelcontextprotocol/server');
  const {serveStdio, StdioServerTransport} = await load('tsref', '@modelcontextprotocol/server/stdio');
  const z = await load('tsref', 'zod/v4');
  const build = () => {
    const server = new McpServer({name: 'sdk2-server', version: '1.0.0'});
    server.registerTool('say', {description: 'Says it.', inputSchema: z.object({text: z.string()})}, said);
    return server;
  };
  if (kind === 'entry') serveStdio(build);
  else await build().connect(new StdioServerTransport());
}
