import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** The signature, and the chunk that says how large the picture is: length, name, thirteen bytes, checksum. */
const HEAD_BYTES = 8 + 4 + 4 + 13 + 4;

/** The subject of a picture, as a text that is part of the file (PNG, 11.3.3.2). */
export function withText(png: Buffer, keyword: string, text: string): Buffer {
  const body = Buffer.from(`${keyword}\0${text}`, 'latin1');
  return Buffer.concat([
    png.subarray(0, HEAD_BYTES),
    chunkOf('tEXt', body),
    png.subarray(HEAD_BYTES),
  ]);
}

/** Undefined where the file says nothing by that keyword. */
export function textOf(png: Buffer, keyword: string): string | undefined {
  for (const { name, body } of chunksOf(png)) {
    const [key, text] = body.toString('latin1').split('\0');
    if (name === 'tEXt' && key === keyword) return text;
  }
  return undefined;
}

export function sizeOf(png: Buffer): { readonly width: number; readonly height: number } {
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

/** The largest difference between colours that become one: text on paper has hundreds between the two. */
const STEP = 32;
const RGB = 2;
const PALETTE = 3;

/** The same picture in few colours and a third of the bytes, of one that a browser took: eight bits, no transparency. */
export function withFewColours(png: Buffer): Buffer {
  const { width, height } = sizeOf(png);
  if (png[24] !== 8 || png[25] !== RGB) throw new Error('not a picture of 8 bits in RGB');
  const data = chunksOf(png).flatMap(({ name, body }) => (name === 'IDAT' ? [body] : []));
  const rows = unfiltered(inflateSync(Buffer.concat(data)), width, height);
  const palette: number[] = [];
  const indices = new Map<number, number>();
  const lines = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < width * height; at++) {
    const colour = rows.readUIntBE(3 * at, 3);
    const near = nearTo(colour);
    const index = indices.get(near) ?? palette.push(colour) - 1;
    indices.set(near, index);
    lines[at + Math.floor(at / width) + 1] = index;
  }
  if (palette.length > 256) throw new Error(`${palette.length} colours are too many`);
  const head = Buffer.from(png.subarray(16, 29));
  head[9] = PALETTE;
  const colours = Buffer.from(palette.flatMap((rgb) => [rgb >> 16, (rgb >> 8) & 255, rgb & 255]));
  return Buffer.concat([
    png.subarray(0, 8),
    chunkOf('IHDR', head),
    chunkOf('PLTE', colours),
    chunkOf('IDAT', deflateSync(lines, { level: 9 })),
    chunkOf('IEND', Buffer.alloc(0)),
  ]);
}

function nearTo(rgb: number): number {
  const steps = [rgb >> 16, (rgb >> 8) & 255, rgb & 255].map((part) => Math.round(part / STEP));
  return steps.reduce((sum, step) => sum * 256 + step);
}

/** Undoes the filters of PNG, 9.2, for three bytes a pixel. */
function unfiltered(lines: Buffer, width: number, height: number): Buffer {
  const row = 3 * width;
  const out = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++) {
    const filter = lines[y * (row + 1)] ?? 0;
    for (let x = 0; x < row; x++) {
      const at = y * row + x;
      const left = x < 3 ? 0 : (out[at - 3] ?? 0);
      const up = y === 0 ? 0 : (out[at - row] ?? 0);
      const corner = x < 3 || y === 0 ? 0 : (out[at - row - 3] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      out[at] = (lines[at + y + 1] ?? 0) + guess;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const sum = left + up - corner;
  const [l, u, c] = [Math.abs(sum - left), Math.abs(sum - up), Math.abs(sum - corner)];
  if (l <= u && l <= c) return left;
  return u <= c ? up : corner;
}

interface Chunk {
  readonly name: string;
  readonly body: Buffer;
}

function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 8; at + 8 <= png.length; at += png.readUInt32BE(at) + 12) {
    const name = png.toString('latin1', at + 4, at + 8);
    chunks.push({ name, body: png.subarray(at + 8, at + 8 + png.readUInt32BE(at)) });
  }
  return chunks;
}

function chunkOf(name: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), body]);
  const chunk = Buffer.alloc(named.length + 8);
  chunk.writeUInt32BE(body.length, 0);
  named.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(named), named.length + 4);
  return chunk;
}
