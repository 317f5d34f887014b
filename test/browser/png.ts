import { crc32 } from 'node:zlib';

/** The signature, and the chunk that says how large the picture is: length, name, thirteen bytes, checksum. */
const HEAD_BYTES = 8 + 4 + 4 + 13 + 4;

/** What a picture is of, as a text that is part of the file (PNG, 11.3.3.2). */
export function withText(png: Buffer, keyword: string, text: string): Buffer {
  const body = Buffer.from(`tEXt${keyword}\0${text}`, 'latin1');
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return Buffer.concat([png.subarray(0, HEAD_BYTES), chunk, png.subarray(HEAD_BYTES)]);
}

/** Undefined where the file says nothing by that keyword. */
export function textOf(png: Buffer, keyword: string): string | undefined {
  for (let at = 8; at + 8 <= png.length; at += png.readUInt32BE(at) + 12) {
    const length = png.readUInt32BE(at);
    const [name, text] = png.toString('latin1', at + 8, at + 8 + length).split('\0');
    if (png.toString('latin1', at + 4, at + 8) === 'tEXt' && name === keyword) return text;
  }
  return undefined;
}

export function sizeOf(png: Buffer): { readonly width: number; readonly height: number } {
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}
