// Takes a picture of a report page, for the documentation:
//
//     node picture.mjs BROWSER PAGE.html[#SELECTION] OUT.png WIDTH HEIGHT [SELECTOR [KEY]]
//
// SELECTION is what the page's key `l` copies. The picture begins at the top of SELECTOR, or of the
// page. KEY is pressed before. run.sh installs playwright-core.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, address, out, width, height, selector, key] = process.argv.slice(2);
const [file, selection] = address.split("#");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({
    viewport: { width: Number(width), height: Number(height) },
    colorScheme: "light",
});
await page.goto(pathToFileURL(path.resolve(file)).href + (selection ? "#" + selection : ""));
await page.waitForFunction(() => document.documentElement.dataset.ready);
if (key) await page.keyboard.press(key);
const top = selector
    ? await page.locator(selector).evaluate((node) => node.getBoundingClientRect().top + scrollY)
    : 0;
await page.screenshot({
    path: out,
    fullPage: true,
    clip: { x: 0, y: top, width: Number(width), height: Number(height) },
});
await browser.close();
