/** The FLV timestamp that mpegts.js maps to media time 0, which mpegts.js does not report. */

const kFileHeaderSize = 13;
const kTagHeaderSize = 11;
const kTagTrailerSize = 4;
const kAudioTag = 8;
const kVideoTag = 9;
const kTimestampRange = 2 ** 32 / 1000; // seconds after which the counter wraps

interface Tag {
  type: number;
  seconds: number;
  /** A frame or audio frame, not a codec header. */
  media: boolean;
}

function* tags(bytes: Uint8Array): Generator<Tag> {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = kFileHeaderSize;
  while (at + kTagHeaderSize + 2 <= bytes.length) {
    const milliseconds = ((data.getUint32(at + 4) >>> 8) | (data.getUint8(at + 7) << 24)) >>> 0;
    const type = data.getUint8(at);
    const media = data.getUint8(at + kTagHeaderSize + 1) === 1;
    yield { type, seconds: milliseconds / 1000, media };
    at += kTagHeaderSize + (data.getUint32(at) & 0xffffff) + kTagTrailerSize;
  }
}

/** The earlier timestamp of the first frame and, with `hasAudio`, the first audio frame; undefined
 * until both have arrived. */
export function firstTimestamp(bytes: Uint8Array, hasAudio: boolean): number | undefined {
  const first = new Map<number, number>();
  for (const { type, seconds, media } of tags(bytes)) {
    if (media && !first.has(type)) first.set(type, seconds);
    const complete = first.has(kVideoTag) && (first.has(kAudioTag) || !hasAudio);
    if (complete) return Math.min(...first.values());
  }
  return undefined;
}

/** The time near `about` for which the wrapping counter shows `counted`. */
export function unwrapped(counted: number, about: number): number {
  return counted + Math.round((about - counted) / kTimestampRange) * kTimestampRange;
}
