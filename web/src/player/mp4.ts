/** The little parsing of ISO/IEC 14496-12 that Media Source Extensions leave to the page. */

const kHeaderSize = 8;
const kSampleEntrySize = 78; // bytes of a VisualSampleEntry before its boxes (12.1.3.2)
const kFullBoxHeaderSize = 8; // version, flags and entry count of stsd

interface Box {
  type: string;
  begin: number; // of the payload
  end: number;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The complete boxes within [begin, end). */
function* boxes(bytes: Uint8Array, begin = 0, end = bytes.length): Generator<Box> {
  const data = view(bytes);
  while (begin + kHeaderSize <= end) {
    const size = data.getUint32(begin);
    if (size < kHeaderSize || begin + size > end) return;
    const type = String.fromCharCode(...bytes.subarray(begin + 4, begin + kHeaderSize));
    yield { type, begin: begin + kHeaderSize, end: begin + size };
    begin += size;
  }
}

/** The boxes at a path of types, such as moov/trak. */
function* find(bytes: Uint8Array, path: string[], within?: Box): Generator<Box> {
  const [type, ...rest] = path;
  for (const box of boxes(bytes, within?.begin, within?.end)) {
    if (box.type !== type) continue;
    if (rest.length > 0) yield* find(bytes, rest, box);
    else yield box;
  }
}

/** "avc3.640028", from the first bytes of avcC (ISO/IEC 14496-15). */
function avcCodec(bytes: Uint8Array, entry: Box): string | undefined {
  for (const box of boxes(bytes, entry.begin + kSampleEntrySize, entry.end)) {
    if (box.type !== "avcC") continue;
    const profile = [...bytes.subarray(box.begin + 1, box.begin + 4)];
    return `${entry.type}.${profile.map((b) => b.toString(16).padStart(2, "0")).join("")}`;
  }
  return undefined;
}

function codecOf(bytes: Uint8Array, entry: Box, audioCodec: string): string | undefined {
  if (entry.type === "mp4a") return audioCodec;
  return entry.type.startsWith("avc") ? avcCodec(bytes, entry) : undefined;
}

/** The codecs (RFC 6381) of the initialization segment at the start of `bytes`; undefined while the
 * segment is incomplete. `audioCodec` is the codec of an mp4a track. */
export function codecs(bytes: Uint8Array, audioCodec = "mp4a.40.2"): string | undefined {
  if (find(bytes, ["moov"]).next().done) return undefined;
  const found: string[] = [];
  for (const table of find(bytes, ["moov", "trak", "mdia", "minf", "stbl", "stsd"])) {
    for (const entry of boxes(bytes, table.begin + kFullBoxHeaderSize, table.end)) {
      const codec = codecOf(bytes, entry, audioCodec);
      if (codec) found.push(codec);
    }
  }
  return found.join(",");
}
