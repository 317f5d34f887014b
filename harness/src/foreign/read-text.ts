import { closeSync, openSync, readSync } from 'node:fs';

const CHUNK = 65_536;

/**
 * Reads a file that may be anything: a pipe, a device without end.
 * @throws Error where it cannot be read, or has more than `maxBytes`
 */
export function readText(path: string, maxBytes: number): string {
  const file = openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let size = 0; size <= maxBytes; ) {
      const chunk = Buffer.alloc(CHUNK);
      const length = readSync(file, chunk);
      if (length === 0) return Buffer.concat(chunks).toString('utf8');
      chunks.push(chunk.subarray(0, length));
      size += length;
    }
    throw new Error(`it has more than ${maxBytes} bytes`);
  } finally {
    closeSync(file);
  }
}
