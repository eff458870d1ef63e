/** Where mpegts.js begins the media time of FLV, in the stream's own seconds; it tells nobody. */

const kFileHeader = 13;
const kTagHeader = 11;
const kTagEnd = 4;
const kSound = 8;
const kPictures = 9;
const kWrap = 2 ** 32 / 1000; // seconds: the counter begins anew

interface Tag {
  type: number;
  seconds: number;
  /** A picture or a sound, and not a codec's header. */
  media: boolean;
}

function* tags(bytes: Uint8Array): Generator<Tag> {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = kFileHeader;
  while (at + kTagHeader + 2 <= bytes.length) {
    const milliseconds = ((data.getUint32(at + 4) >>> 8) | (data.getUint8(at + 7) << 24)) >>> 0;
    const type = data.getUint8(at);
    const media = data.getUint8(at + kTagHeader + 1) === 1;
    yield { type, seconds: milliseconds / 1000, media };
    at += kTagHeader + (data.getUint32(at) & 0xffffff) + kTagEnd;
  }
}

/** The earlier one of the first picture and, where there is `sound`, the first sound. */
export function firstTimestamp(bytes: Uint8Array, sound: boolean): number | undefined {
  const first = new Map<number, number>();
  for (const { type, seconds, media } of tags(bytes)) {
    if (media && !first.has(type)) first.set(type, seconds);
    const complete = first.has(kPictures) && (first.has(kSound) || !sound);
    if (complete) return Math.min(...first.values());
  }
  return undefined;
}

/** The time near `about` that the counter shows as `counted`. */
export function unwrapped(counted: number, about: number): number {
  return counted + Math.round((about - counted) / kWrap) * kWrap;
}
