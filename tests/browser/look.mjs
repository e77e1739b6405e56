// Looks at the pages of one request: pictures in light and dark, wide and narrow, and axe on each; no sideways scroll, targets large enough.
//
//   node look.mjs ORIGIN APPROVAL PERSON FOLDER
//
// The request has to be pending and PERSON a supervisor of its desk. Nothing is decided. Ends with 1 when anything was found.
import {mkdirSync} from "node:fs";

import {axeSource, openBrowser, signInIfAsked} from "./browser.mjs";

const [origin, approval, person, folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node look.mjs ORIGIN APPROVAL PERSON FOLDER");
  process.exit(2);
}
mkdirSync(folder, {recursive: true});
const request = `/approvals/${approval}`;
const places = [["request", request], ["confirm", `${request}/approve`], ["deny", `${request}/deny`], ["record", `${request}/record`],
                ["queue", "/approvals?status=all"], ["audit", "/audit"], ["unknown", "/approvals/APR-9999"]];
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const smallest = 44;  // CSS pixels

let found = 0;
const report = (line) => {
  found += 1;
  console.error(line);
};

for (const dark of [false, true]) {
  for (const width of [1280, 320]) {
    const {browser, page, complaints} = await openBrowser({dark, width});
    await page.goto(`${origin}/login?fresh=1&next=${encodeURIComponent(request)}`);
    await signInIfAsked(page, person);
    for (const [name, path] of places) {
      const where = `${name}-${dark ? "dark" : "light"}-${width}`;
      await page.goto(origin + path);
      await page.screenshot({path: `${folder}/${where}.png`, fullPage: true});
      await page.evaluate(axeSource());
      const {violations, incomplete} = await page.evaluate((values) => axe.run({runOnly: {type: "tag", values}}), rules);
      for (const finding of violations) report(`${where}: ${finding.id}: ${finding.nodes[0].target} ${finding.nodes[0].failureSummary}`);
      for (const finding of incomplete) report(`${where}: not settled: ${finding.id}: ${finding.nodes[0].target}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 0) report(`${where}: ${wide} pixels too wide`);
      for (const box of await page.locator("a.button:visible, button:visible, summary:visible").all()) {
        const size = await box.boundingBox();
        if (size && size.height < smallest) report(`${where}: ${await box.innerText()}: ${size.height} pixels high`);
      }
    }
    for (const complaint of complaints) if (!/404/.test(complaint)) report(complaint);
    await browser.close();
  }
}
console.log(found ? `${found} finding(s)` : "nothing found");
process.exit(found ? 1 : 0);
