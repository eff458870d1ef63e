// The built page as a source of C++ and one file of bytes: `node embed.mjs DIST FOLDER` writes
// FOLDER/web_files.cc, which tells where in FOLDER/web_files.bin each file lies.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join, relative, resolve, sep } from "node:path";
import { gzipSync } from "node:zlib";

const [dist, folder] = process.argv.slice(2);
const kTypes = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};
const kWorthIt = 0.9; // of the size: less saved is not worth to be undone

function files(place) {
  return readdirSync(place, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(place, entry.name);
      return entry.isDirectory() ? files(path) : [path];
    })
    .sort();
}

function urlOf(path) {
  const name = relative(dist, path).split(sep).join("/");
  return name === "index.html" ? "/" : `/${name}`;
}

const pieces = [];
let size = 0;

/** Where the bytes lie from now on, as C++ has it. */
function place(bytes) {
  const text = bytes.length > 0 ? `{web_bytes + ${size}, ${bytes.length}}` : "{}";
  pieces.push(bytes);
  size += bytes.length;
  return text;
}

const rows = files(dist).map((path) => {
  const bytes = readFileSync(path);
  const packed = gzipSync(bytes, { level: 9 });
  const gzip = packed.length < kWorthIt * bytes.length ? packed : Buffer.alloc(0);
  return `    {"${urlOf(path)}", "${kTypes[extname(path)]}", ${place(bytes)}, ${place(gzip)}},`;
});

mkdirSync(folder, { recursive: true });
const binary = resolve(folder, "web_files.bin");
writeFileSync(binary, Buffer.concat(pieces));
writeFileSync(
  join(folder, "web_files.cc"),
  `#include "app/web/web_files.h"

asm(R"(
  .section .rodata
  .global web_bytes
web_bytes:
  .incbin "${binary}"
  .previous
)");

extern "C" const char web_bytes[];

namespace app {

std::span<const WebFile> web_files() {
  static const WebFile kFiles[] = {
${rows.join("\n")}
  };
  return kFiles;
}

}  // namespace app
`,
);
