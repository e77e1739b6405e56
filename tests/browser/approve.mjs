// A supervisor in a real browser: opens the link, signs in, presses "Approve…", signs in freshly, presses "Pay back", keeps a picture.
//
//   node approve.mjs LINK PERSON [--screenshot FILE] [--dark] [--width PIXELS] [--no-script]
//
// Ends with 0 when the page says that it was approved, and when the browser had nothing to complain about; otherwise with 1 and one line.
import {openBrowser, signInIfAsked} from "./browser.mjs";

const [link, person, ...rest] = process.argv.slice(2);
const option = (name) => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : undefined);
if (!link || !person) {
  console.error("usage: node approve.mjs LINK PERSON [--screenshot FILE] [--dark] [--width PIXELS] [--no-script]");
  process.exit(2);
}

const {browser, page, complaints} = await openBrowser({
  dark: rest.includes("--dark"),
  width: Number(option("--width") ?? 1280),
  script: !rest.includes("--no-script"),
});
page.setDefaultTimeout(15_000);
let code = 1;
try {
  await page.goto(link);
  await signInIfAsked(page, person);
  await page.getByRole("link", {name: "Approve…"}).click();
  await page.waitForLoadState("load");
  await signInIfAsked(page, person);
  await page.getByRole("button", {name: /^Pay back/}).click();
  await page.getByText(/Approved by|^Paid\./).first().waitFor();
  const said = (await page.locator(".status p").innerText()).replace(/\s+/g, " ");
  if (option("--screenshot")) await page.screenshot({path: option("--screenshot"), fullPage: true});
  console.log(said);
  code = complaints.length ? 1 : 0;
} catch (error) {
  console.error(`at ${new URL(page.url()).pathname}: ${error.message.split("\n")[0]}`);
  if (option("--screenshot")) await page.screenshot({path: option("--screenshot"), fullPage: true}).catch(() => {});
}
for (const complaint of complaints) console.error(complaint);
await browser.close();
process.exit(code);
