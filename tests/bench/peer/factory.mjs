// The peer's MCP server: two tools of the desk on the TypeScript SDK, one fresh instance a request over HTTP, as the SDK recommends.
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

const Line = z.object({ line_id: z.string(), sku: z.string(), title: z.string(), quantity: z.number().int(), unit_cents: z.number().int(), line_cents: z.number().int() });
const Part = z.object({ line_id: z.string(), sku: z.string(), title: z.string(), unit_cents: z.number().int() });
const Order = z.object({ order_id: z.string(), placed_at: z.string(), delivered_at: z.string().nullable(), status: z.string(), currency: z.string(),
  total_cents: z.number().int(), lines: z.array(Line), parts: z.array(Part), refunds: z.array(z.object({})), refunds_source: z.string() });
const CaseArguments = z.object({ case_handle: z.string().min(16).max(64) });

export function makeFactory(store, launchedFor) {
  const handles = new Map([[`${launchedFor ?? 'rowan'}:${process.env.PEER_HANDLE}`, 'ORD-5521']]);
  const caller = (context) => context.http?.authInfo?.extra?.sub ?? launchedFor ?? 'anonymous';
  return () => {
    const server = new McpServer({ name: 'bench-peer', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.registerTool('get_order', { title: 'Read the case order', description: 'Reads the order of this case.', inputSchema: CaseArguments, outputSchema: Order },
      ({ case_handle }, context) => {
        const id = handles.get(`${caller(context)}:${case_handle}`);
        if (!id) return { content: [{ type: 'text', text: 'No open case with that handle for this caller.' }], isError: true };
        const order = store.order(id);
        return { content: [{ type: 'text', text: JSON.stringify(order) }], structuredContent: order };
      });
    return server;
  };
}
