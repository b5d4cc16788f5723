// page.mjs DIR checks each page of DIR in the real Chromium and prints one JSON object a fact that is wrong, and
// last {"pages":N,"checks":N}. DIR/NAME.html is a page; what is checked of all of them: nothing is fetched, the
// policy forbids nothing that the page does, nothing runs that is not ours, no width is too small, axe finds nothing
// serious. Of full.html also the keyboard's way through filter and sort. DIR/shots gets a picture of each.
import { createRequire } from "node:module";
import { readFileSync, readdirSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [dir, modules, chromiumPath] = process.argv.slice(2);
const require = createRequire(join(resolve(modules), "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

let checks = 0;
const wrong = (where, what) => console.log(JSON.stringify({ where, what: String(what).slice(0, 600) }));
const check = (where, ok, what) => { checks++; if (!ok) wrong(where, what); };

const context = await chromium.launchPersistentContext(join(dir, "profile"), {
	executablePath: chromiumPath, headless: true,
	args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
});
mkdirSync(join(dir, "shots"), { recursive: true });

async function open(name, width, scheme) {
	const where = `${name} ${width} ${scheme}`, page = await context.newPage(), url = pathToFileURL(join(dir, name)).href;
	page.on("console", (m) => { if (m.type() === "error" || m.type() === "warning") wrong(where, "console: " + m.text()); });
	page.on("pageerror", (e) => wrong(where, "script: " + e));
	page.on("dialog", (d) => { wrong(where, "a dialog: " + d.message()); d.dismiss(); });
	page.on("request", (r) => { if (r.url() !== url) wrong(where, "a request: " + r.url()); });
	await page.addInitScript(() => {
		window.violations = [];
		document.addEventListener("securitypolicyviolation", (e) => window.violations.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample));
	});
	await page.setViewportSize({ width, height: width > 600 ? 900 : 844 });
	await page.emulateMedia({ colorScheme: scheme });
	await page.goto(url);
	return { page, where };
}

for (const name of readdirSync(dir).filter((f) => f.endsWith(".html")).sort()) {
	for (const width of [1440, 390]) for (const scheme of ["light", "dark"]) {
		const { page, where } = await open(name, width, scheme);
		const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
		check(where, wide <= 0, `the page is ${wide} px wider than the window`);
		check(where, await page.evaluate(() => getComputedStyle(document.body).backgroundColor !== "rgba(0, 0, 0, 0)"), "the page's style was not used");
		if (await page.locator("#tools").count()) check(where, await page.locator("#tools").isVisible(), "the page's script did not run");
		check(where, (await page.evaluate(() => window.violations)).length === 0, "the policy was broken: " + (await page.evaluate(() => window.violations)).join("; "));
		const foreign = await page.evaluate(() => document.querySelectorAll("img, iframe, object, embed, link, base, script:not(body > script:last-of-type), style:not(head > style), [onerror], [onload], [onclick], [style]").length);
		check(where, foreign === 0, `${foreign} elements that are not the page's own`);
		check(where, (await page.evaluate(() => window.hit)) === undefined, "a name of a session ran as script");
		await page.screenshot({ path: join(dir, "shots", `${name.replace(".html", "")}-${width}-${scheme}.png`) });
		// The policy keeps axe out of the page as it keeps out everything: it is put in from outside.
		await page.evaluate(axe);
		const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
		const bad = found.violations.filter((v) => v.impact === "serious" || v.impact === "critical");
		check(where, bad.length === 0 && found.passes.length > 10, bad.map((v) => v.id + ": " + v.nodes.slice(0, 2).map((n) => n.html + " " + n.failureSummary).join(" | ")).join("; ") || "axe looked at nothing");
		await page.close();
	}
}

// The keyboard alone.
{
	const { page, where } = await open("full.html", 1440, "light");
	const shown = () => page.evaluate(() => [...document.querySelectorAll("#table tbody tr")].filter((r) => !r.hidden).map((r) => r.cells[1].innerText.split("\n")[0]));
	const focus = () => page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.id);
	const all = await shown();
	check(where, all.length === 31, `${all.length} sessions without a filter`);
	await page.keyboard.press("Tab");
	check(where, (await focus()) === "Skip to the report" && (await page.locator(".skip").evaluate((e) => e.getBoundingClientRect().top >= 0)), "the first stop is no visible skip link: " + (await focus()));
	await page.keyboard.press("Enter");
	check(where, (await focus()).length > 0 && (await page.evaluate(() => document.activeElement.id)) === "main", "the skip link leads not to the report");
	await page.keyboard.press("/");
	check(where, (await page.evaluate(() => document.activeElement.id)) === "q", "the slash does not lead to the filter");
	await page.keyboard.type("billing retries");
	await page.waitForFunction(() => document.getElementById("shown").textContent.startsWith("Showing 1 "));
	check(where, (await shown()).join() === "payment retries", "the filter shows " + (await shown()));
	await page.keyboard.press("Escape");
	check(where, (await shown()).length === 31, "Escape leaves " + (await shown()).length);
	await page.keyboard.press("Tab");
	const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
	check(where, (await focus()).startsWith("Waiting for me") && ring !== "none", `the stop after the filter is ${await focus()}, its ring ${ring}`);
	await page.keyboard.press("Space");
	check(where, (await shown()).length === 4 && (await page.locator(".chip").first().getAttribute("aria-pressed")) === "true", "the first class shows " + (await shown()));
	check(where, (await page.locator("#shown").innerText()) === "Showing 4 of 31 sessions", "the count says " + (await page.locator("#shown").innerText()));
	await page.keyboard.press("Space");
	const press = async (title, key) => { await page.locator("thead .sortable", { hasText: title }).first().focus(); await page.keyboard.press(key); };
	const sorted = (list) => list.every((v, i) => i === 0 || list[i - 1] <= v);
	await press("Session", "Enter");
	check(where, sorted((await shown()).map((s) => s.toLowerCase())), "sorted by name: " + (await shown()));
	check(where, (await page.locator("#table th[aria-sort=ascending]").innerText()).startsWith("Session"), "the sorted column is not said");
	await press("Session", "Space");
	check(where, sorted((await shown()).map((s) => s.toLowerCase()).reverse()), "sorted backwards: " + (await shown()));
	await press("Since", "Enter");
	const times = await page.evaluate(() => [...document.querySelectorAll("#table tbody tr")].map((r) => r.cells[5].querySelector("time")?.getAttribute("datetime") ?? "z"));
	check(where, sorted(times) && times.includes("z"), "sorted by beginning: " + times);
	await press("Class", "Enter");
	check(where, (await shown()).join() === all.join(), "sorted by class is not the report's order");
	check(where, (await page.evaluate(() => window.violations)).length === 0, "the policy was broken: " + (await page.evaluate(() => window.violations)).join("; "));
	await page.close();
}

// Without a script everything is there.
{
	const bare = await context.browser()?.newContext({ javaScriptEnabled: false });
	const browser = bare ? null : await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
	const quiet = bare ?? (await browser.newContext({ javaScriptEnabled: false }));
	const page = await quiet.newPage();
	await page.goto(pathToFileURL(join(dir, "full.html")).href);
	check("no script", (await page.locator("#table tbody tr:visible").count()) === 31 && !(await page.locator("#tools").isVisible()), "the table is not whole, or its tools are shown");
	await quiet.close();
	await browser?.close();
}

await context.close();
console.log(JSON.stringify({ pages: readdirSync(dir).filter((f) => f.endsWith(".html")).length, checks }));
