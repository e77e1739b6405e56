// Looks at the pages of the issuer: a strange client by its metadata document, one that registered itself, a configured one and a device. Pictures in
// light and dark, wide and narrow, and axe on each; no sideways scroll, targets large enough; then one consent is pressed through to the redirect.
//
//   node consent.mjs ISSUER RESOURCE CLIENT FOLDER
//
// The issuer has registration and metadata documents open for RESOURCE, and CLIENT is a configured client of it with the device grant and the redirect
// http://127.0.0.1/callback that is not its own. Ends with 1 when anything was found.
import http from "node:http";
import {createHash, randomBytes} from "node:crypto";
import {mkdirSync} from "node:fs";

import {axeSource, openBrowser} from "./browser.mjs";

const [issuer, resource, configured, folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node consent.mjs ISSUER RESOURCE CLIENT FOLDER");
  process.exit(2);
}
mkdirSync(folder, {recursive: true});
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const smallest = 44;  // CSS pixels

let found = 0;
const report = (line) => {
  found += 1;
  console.error(line);
};

// The client's side: its document, and where the answer arrives.
let answered;
const client = http.createServer((request, response) => {
  if (request.url.startsWith("/callback")) {
    answered = new URL(request.url, "http://127.0.0.1").searchParams;
    response.end("You can close this page.");
    return;
  }
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify({client_id: `${origin}/client.json`, client_name: "Refund Helper <b>by Postern</b>", application_type: "native",
                               grant_types: ["authorization_code", "refresh_token"], redirect_uris: ["http://127.0.0.1/callback"]}));
});
await new Promise((resolve) => client.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${client.address().port}`;

const json = async (path, body) => {
  const form = body instanceof URLSearchParams;
  const answer = await fetch(issuer + path, {method: "POST", body: form ? body : JSON.stringify(body), headers: form ? {} : {"Content-Type": "application/json"}});
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};
const registered = await json("/register", {client_name: "Some agent \u202e", application_type: "native", token_endpoint_auth_method: "none",
                                            redirect_uris: ["http://127.0.0.1/callback"]});
const challenge = createHash("sha256").update(randomBytes(32).toString("base64url")).digest("base64url");
const authorize = (clientId, scope) => `${issuer}/authorize?` + new URLSearchParams({
  response_type: "code", client_id: clientId, redirect_uri: `${origin}/callback`, code_challenge: challenge, code_challenge_method: "S256",
  state: "s", resource, scope, prompt: "consent"});

const look = async (page, where) => {
  await page.screenshot({path: `${folder}/${where}.png`, fullPage: true});
  await page.evaluate(axeSource());
  const {violations, incomplete} = await page.evaluate((values) => axe.run({runOnly: {type: "tag", values}}), rules);
  for (const finding of violations) report(`${where}: ${finding.id}: ${finding.nodes[0].target} ${finding.nodes[0].failureSummary}`);
  for (const finding of incomplete) report(`${where}: not settled: ${finding.id}: ${finding.nodes[0].target}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) report(`${where}: ${wide} pixels too wide`);
  for (const box of await page.locator("button:visible, input:visible").all()) {
    const size = await box.boundingBox();
    if (size && size.height < smallest) report(`${where}: a target is ${size.height} pixels high`);
  }
};
const choose = (page, name) => Promise.all([page.waitForLoadState("load"), page.getByRole("button", {name}).click()]);

for (const dark of [false, true]) {
  for (const width of [1280, 320]) {
    const {browser, page, complaints} = await openBrowser({dark, width});
    const suffix = `${dark ? "dark" : "light"}-${width}`;
    for (const [name, id, scope] of [["document", `${origin}/client.json`, "desk:read refunds:write offline_access"],
                                     ["registered", registered.client_id, "desk:read"], ["configured", configured, "desk:read"]]) {
      await page.goto(authorize(id, scope));
      await look(page, `${name}-people-${suffix}`);
      await choose(page, "Rowan Diaz");
      await look(page, `${name}-consent-${suffix}`);
    }
    const device = await json("/device_authorization", new URLSearchParams({client_id: configured, resource, scope: "desk:read"}));
    await page.goto(device.verification_uri);
    await page.getByLabel("Code").fill("BBBB-BBBB");
    await choose(page, "Go on");
    await look(page, `device-wrong-${suffix}`);
    await page.goto(device.verification_uri_complete);
    await look(page, `device-${suffix}`);
    await choose(page, "Go on");
    await choose(page, "Rowan Diaz");
    await look(page, `device-consent-${suffix}`);
    await choose(page, "Allow");
    await look(page, `device-done-${suffix}`);
    for (const complaint of complaints) if (!/400/.test(complaint)) report(complaint);
    await browser.close();
  }
}

// With a browser's own rules: the cookie, the policy of the form, the way back to the client.
const {browser, page, complaints} = await openBrowser({});
await page.goto(authorize(`${origin}/client.json`, "desk:read"));
await choose(page, "Rowan Diaz");
await choose(page, "Allow");
await page.waitForURL(`${origin}/callback?**`, {timeout: 10_000}).catch(() => report(`the answer did not arrive: ${page.url()}`));
if (!answered?.get("code") || answered.get("iss") !== issuer) report(`the answer is another: ${answered}`);
for (const complaint of complaints) if (!/favicon/.test(complaint)) report(complaint);
await browser.close();
client.close();
console.log(found ? `${found} finding(s)` : "nothing found");
process.exit(found ? 1 : 0);
