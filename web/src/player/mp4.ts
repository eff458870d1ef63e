/** As much of ISO/IEC 14496-12 as Media Source Extensions leave to the page. */

const kHeader = 8;
const kSampleEntry = 78; // bytes of a VisualSampleEntry before its boxes (12.1.3.2)

interface Box {
  type: string;
  begin: number; // of what is inside
  end: number;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The boxes that lie whole within [begin, end). */
function* boxes(bytes: Uint8Array, begin = 0, end = bytes.length): Generator<Box> {
  const data = view(bytes);
  while (begin + kHeader <= end) {
    const size = data.getUint32(begin);
    if (size < kHeader || begin + size > end) return;
    const type = String.fromCharCode(...bytes.subarray(begin + 4, begin + kHeader));
    yield { type, begin: begin + kHeader, end: begin + size };
    begin += size;
  }
}

/** Boxes at a path of types, such as moov/trak. */
function* find(bytes: Uint8Array, path: string[], within?: Box): Generator<Box> {
  const [type, ...rest] = path;
  for (const box of boxes(bytes, within?.begin, within?.end)) {
    if (box.type !== type) continue;
    if (rest.length > 0) yield* find(bytes, rest, box);
    else yield box;
  }
}

/** ISO/IEC 14496-15: "avc3.640028", from the first bytes of avcC. */
function avcCodec(bytes: Uint8Array, entry: Box): string | undefined {
  for (const box of boxes(bytes, entry.begin + kSampleEntry, entry.end)) {
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

/** RFC 6381, of the initialization segment that the bytes begin with; undefined: it is not all there.
 * `audioCodec` is what a track of MPEG-4 sound is. */
export function codecs(bytes: Uint8Array, audioCodec = "mp4a.40.2"): string | undefined {
  if (find(bytes, ["moov"]).next().done) return undefined;
  const found: string[] = [];
  for (const table of find(bytes, ["moov", "trak", "mdia", "minf", "stbl", "stsd"])) {
    const entries = { ...table, begin: table.begin + 8 }; // version, flags, count
    for (const entry of boxes(bytes, entries.begin, entries.end)) {
      const codec = codecOf(bytes, entry, audioCodec);
      if (codec) found.push(codec);
    }
  }
  return found.join(",");
}
