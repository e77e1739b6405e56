// A headless Chromium for the scripts beside this file. It goes to this machine only, and remembers what it should not have seen: a console
// error, a failed script, a report of the page's policy, a request to anywhere else.
//
// Modules come from node_modules here, or from the folder that POSTERN_NODE_MODULES names.
import {createRequire} from "node:module";
import path from "node:path";

const require = createRequire(
  process.env.POSTERN_NODE_MODULES ? path.join(process.env.POSTERN_NODE_MODULES, "package.json") : import.meta.url);
const {chromium} = require("playwright-core");

export const axeSource = () => require("axe-core").source;

export async function openBrowser({dark = false, width = 1280, script = true} = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.POSTERN_CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--headless=new", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
           "--disable-sync", "--no-first-run", "--no-default-browser-check", "--disable-dev-shm-usage"],
  });
  const context = await browser.newContext({
    colorScheme: dark ? "dark" : "light",
    javaScriptEnabled: script,
    viewport: {width, height: 900},
  });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error" || /Content Security Policy/.test(message.text())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`script: ${error.message}`));
  page.on("request", (request) => {
    const host = new URL(request.url()).hostname;
    if (host !== "127.0.0.1") complaints.push(`request to ${host}`);
  });
  return {browser, context, page, complaints};
}

// At the issuer's page: chooses the person. Elsewhere: nothing.
export async function signInIfAsked(page, person) {
  const choice = page.getByRole("button", {name: person});
  if (!(await page.getByRole("heading", {name: "Who is signing in?"}).count())) return false;
  await choice.click();
  await page.waitForLoadState("load");
  return true;
}
