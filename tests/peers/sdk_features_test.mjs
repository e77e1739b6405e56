// The TypeScript SDK's client uses every feature of the product's MCP core, over stdio and over HTTP, with the fixtures of the conformance suite:
// what the client's own schemas and state machines object to fails here.
// usage: node --test, with POSTERN_BIN
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {requireFrom} from './programs.mjs';
import {conformanceServer, startConformanceServer} from './fixture_server.mjs';

const sdk = requireFrom('tsref');
const {Client, StreamableHTTPClientTransport} = sdk('@modelcontextprotocol/client');
const {StdioClientTransport} = sdk('@modelcontextprotocol/client/stdio');
const capabilities = {elicitation: {form: {}}, sampling: {}, roots: {listChanged: true}};

// A client held to this revision that answers what it is asked; the body runs with it.
async function withClient(transport, body) {
  const client = new Client({name: 'sdk-features', version: '1.0.0'}, {capabilities, versionNegotiation: {mode: {pin: '2026-07-28'}}});
  client.setRequestHandler('elicitation/create', async () => ({action: 'accept', content: {name: 'Ada', ok: true, color: 'red', context: 'a test'}}));
  client.setRequestHandler('sampling/createMessage', async () => ({role: 'assistant', model: 'none', content: {type: 'text', text: 'Paris'}}));
  client.setRequestHandler('roots/list', async () => ({roots: [{uri: 'file:///tmp', name: 'tmp'}]}));
  await client.connect(transport);
  try {
    await body(client);
  } finally {
    await client.close();
  }
}

const textOf = (result) => result.content[0].text;
const eventually = async (holds, what) => {
  const until = Date.now() + 10_000;
  while (!holds()) {
    assert.ok(Date.now() < until, what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

async function useEverything(client) {
  const {tools} = await client.listTools();
  assert.ok(tools.length >= 29);
  const call = (name, args = {}, options) => client.callTool({name, arguments: args}, options);

  assert.equal(textOf(await call('test_simple_text')), 'This is a simple text response for testing.');
  assert.deepEqual((await call('test_multiple_content_types')).content.map((block) => block.type), ['text', 'image', 'resource']);
  assert.equal((await call('test_error_handling')).isError, true);
  assert.equal(textOf(await call('test_x_mcp_header', {region: 'Grüße, \u00e9t\u00e9 '})), 'region: Grüße, \u00e9t\u00e9 ');

  const progress = [];
  await call('test_tool_with_progress', {}, {onprogress: (one) => progress.push(one.progress)});
  assert.deepEqual(progress, [0, 50, 100]);

  assert.equal(textOf(await call('test_input_required_result_elicitation')), 'Hello, Ada!');
  assert.equal(textOf(await call('test_input_required_result_sampling')), 'Paris');
  assert.match(textOf(await call('test_input_required_result_list_roots')), /file:\/\/\/tmp/);
  assert.equal(textOf(await call('test_input_required_result_request_state')), 'state-ok');
  assert.equal(textOf(await call('test_input_required_result_multiple_inputs')), 'All three came.');
  assert.equal(textOf(await call('test_input_required_result_multi_round')), 'Both rounds are done.');

  assert.ok((await client.listResources()).resources.some(({uri}) => uri === 'test://static-text'));
  assert.equal((await client.readResource({uri: 'test://template/7/data'})).contents[0].text, '{"id":"7","templateTest":true,"data":"Data for ID: 7"}');
  await assert.rejects(client.readResource({uri: 'test://nothing'}), (error) => error.code === -32602);
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);

  assert.equal((await client.listPrompts()).prompts.length, 5);
  const prompt = await client.getPrompt({name: 'test_prompt_with_arguments', arguments: {arg1: 'one', arg2: 'two'}});
  assert.equal(prompt.messages[0].content.text, "arg1='one', arg2='two'");
  const ref = {type: 'ref/prompt', name: 'test_prompt_with_arguments'};
  assert.deepEqual((await client.complete({ref, argument: {name: 'arg1', value: 'par'}})).completion.values, ['paris', 'park']);
}

async function hearOfChanges(client) {
  const heard = new Set();
  client.setNotificationHandler('notifications/tools/list_changed', () => heard.add('tools'));
  client.setNotificationHandler('notifications/prompts/list_changed', () => heard.add('prompts'));
  const subscription = await client.listen({toolsListChanged: true, promptsListChanged: true});
  await client.callTool({name: 'test_trigger_tool_change', arguments: {}});
  await client.callTool({name: 'test_trigger_prompt_change', arguments: {}});
  await eventually(() => heard.size === 2, `heard of ${[...heard]}`);
  await subscription.close();
}

for (const [name, body] of [['uses every feature', useEverything], ['hears that lists changed', hearOfChanges]]) {
  test(`stdio: the client ${name}`, () =>
    withClient(new StdioClientTransport({command: conformanceServer, args: ['--stdio'], stderr: 'ignore'}), body));
  test(`HTTP: the client ${name}`, async () => {
    const server = await startConformanceServer();
    try {
      await withClient(new StreamableHTTPClientTransport(new URL(server.url)), body);
    } finally {
      await server.close();
    }
  });
}
