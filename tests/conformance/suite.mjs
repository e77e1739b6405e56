// Runs the official conformance suite against a server or a client and holds what came out against what is expected of it, scenario by scenario.
//
// The suite's own summary hides warnings and ticks a scenario whose checks were all skipped, so its checks are counted here. Expected is, by scenario,
// the number of checks that succeed, or {"successes", "reason", "failures": [CHECK...]} where some cannot, or {"skipped": REASON}. Anything else is a
// difference: also a check that is expected to fail and now passes.
import fs from 'node:fs';
import path from 'node:path';
import {runNode, suiteScript, withFolder} from '../peers/programs.mjs';

// Gives {scenario: {successes, failures: [[check, text]...], others}}. `options` say which scenarios, as on the suite's command line.
export const runSuite = (url, options, seconds) => run(['server', '--url', url, ...options], seconds);
// The same for a client: `command` gets the URL of each scenario's server as its last argument.
export const runClientSuite = (command, options, seconds) => run(['client', '--command', command, ...options], seconds);

function run(command, seconds = 240) {
  return withFolder(async (folder) => {
    const env = {...process.env, NO_COLOR: '1'};
    const suite = await runNode([suiteScript, ...command, '-o', folder], {seconds, env});
    const scenarios = readChecks(folder);
    if (!Object.keys(scenarios).length) throw new Error(`the suite gave nothing (exit code ${suite.code}): ${suite.out.slice(-500)}${suite.err.slice(-1500)}`);
    return scenarios;
  });
}

// The scenarios that the suite left in its output folder.
export function readChecks(folder) {
  const scenarios = {};
  for (const entry of fs.readdirSync(folder, {recursive: true})) {
    if (path.basename(entry) !== 'checks.json') continue;
    const name = path.basename(path.dirname(entry)).replace(/-20\d\d-\d\d-\d\dT.*$/, '').replace(/^server-(?=.)/, '');
    scenarios[name] = count(JSON.parse(fs.readFileSync(path.join(folder, entry), 'utf8')));
  }
  return scenarios;
}

function count(checks) {
  const found = {successes: 0, failures: [], others: 0};
  for (const {status, id, errorMessage, description} of checks) {
    if (status === 'SUCCESS') ++found.successes;
    else if (status === 'FAILURE' || status === 'WARNING') found.failures.push([id, `${status}: ${errorMessage ?? description ?? ''}`]);
    else ++found.others;
  }
  return found;
}

// Lines that say how `found` differs from `expected`; none when it does not.
export function differences(found, expected) {
  const lines = [];
  for (const name of Object.keys(expected)) if (!found[name]) lines.push(`${name}: did not run`);
  for (const [name, {successes, failures}] of Object.entries(found)) {
    const row = typeof expected[name] === 'number' ? {successes: expected[name]} : expected[name];
    if (!row) {
      lines.push(`${name}: ran, and nothing is written about it`);
      continue;
    }
    const wanted = row.skipped ? 0 : row.successes;
    if (successes !== wanted) lines.push(`${name}: ${successes} checks succeed, ${wanted} are expected`);
    for (const [check, text] of failures) if (!row.failures?.includes(check)) lines.push(`${name}: ${check}: ${text.slice(0, 300)}`);
    for (const check of row.failures ?? []) {
      if (!failures.some(([id]) => id === check)) lines.push(`${name}: ${check} does not fail any more: take it out of the list`);
    }
  }
  return lines;
}

// The closing line, counted as above: a warning fails a scenario, and one without a success was skipped.
export function summary(found) {
  const all = Object.values(found);
  const failed = all.filter((one) => one.failures.length).length;
  const skipped = all.filter((one) => !one.failures.length && !one.successes).length;
  const successes = all.reduce((sum, one) => sum + one.successes, 0);
  return `conformance: ${all.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped; ${successes} checks succeed`;
}

// Prints the comparison; the exit code to end with.
export function report(found, expected) {
  const lines = differences(found, expected);
  for (const line of lines) console.log(line);
  console.log(`${summary(found)}; ${lines.length ? `${lines.length} differences from what is expected` : 'as expected'}`);
  return lines.length ? 1 : 0;
}
