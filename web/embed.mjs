// Embeds the built page in the server: `node embed.mjs DIST FOLDER` writes all files of DIST to
// FOLDER/web_files.bin, and FOLDER/web_files.cc with the place of each file in it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join, relative, resolve, sep } from "node:path";
import { gzipSync } from "node:zlib";

const [dist, output] = process.argv.slice(2);
const kTypes = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};
const kMaxGzipShare = 0.9; // of the size: a smaller saving does not pay for decompression

function files(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
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

/** Appends the bytes; returns their place as a C++ initializer. */
function append(bytes) {
  const text = bytes.length > 0 ? `{web_bytes + ${size}, ${bytes.length}}` : "{}";
  pieces.push(bytes);
  size += bytes.length;
  return text;
}

const rows = files(dist).map((path) => {
  const bytes = readFileSync(path);
  const packed = gzipSync(bytes, { level: 9 });
  const gzip = packed.length < kMaxGzipShare * bytes.length ? packed : Buffer.alloc(0);
  return `    {"${urlOf(path)}", "${kTypes[extname(path)]}", ${append(bytes)}, ${append(gzip)}},`;
});

mkdirSync(output, { recursive: true });
const binary = resolve(output, "web_files.bin");
writeFileSync(binary, Buffer.concat(pieces));
writeFileSync(
  join(output, "web_files.cc"),
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
