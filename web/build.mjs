// Bundles the page: `node build.mjs [FOLDER]` writes index.html and assets/ to FOLDER, or to dist.
// The names of assets contain a hash of their content.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");
const kBundled = ["hls.js", "mpegts.js", "es6-promise", "events", "uplot"];

/** Placeholder in index.html, such as main.js → URL of the built file. */
const names = new Map();

function addAsset(name, bytes) {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 8).toUpperCase();
  const hashed = `${basename(name, extname(name))}-${digest}${extname(name)}`;
  writeFileSync(join(out, "assets", hashed), bytes);
  names.set(name, `assets/${hashed}`);
}

function licences() {
  return kBundled
    .map((name) => {
      const folder = join(here, "node_modules", name);
      const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const text = readFileSync(join(folder, "LICENSE"), "utf8").trim();
      return `${name} ${version} (${license})\n\n${text}\n`;
    })
    .join(`\n${"=".repeat(80)}\n\n`);
}

async function bundle() {
  const { metafile } = await build({
    absWorkingDir: here,
    entryPoints: ["src/main.ts"],
    outdir: join(out, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  for (const [path, { entryPoint, cssBundle }] of Object.entries(metafile.outputs)) {
    const asset = (file) => `assets/${basename(file)}`;
    if (entryPoint === "src/main.ts") names.set("main.js", asset(path));
    if (entryPoint === "src/main.ts" && cssBundle) names.set("main.css", asset(cssBundle));
  }
}

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "assets"), { recursive: true });
await bundle();
addAsset("licences.txt", licences());
addAsset("icon.svg", readFileSync(join(here, "icon.svg")));
const page = readFileSync(join(here, "index.html"), "utf8");
writeFileSync(
  join(out, "index.html"),
  page.replace(/\{\{(.+?)\}\}/g, (_, name) => names.get(name) ?? fail(name)),
);

function fail(name) {
  throw new Error(`index.html refers to ${name}, which is missing in ${relative(here, out)}`);
}
