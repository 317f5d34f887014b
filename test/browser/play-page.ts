import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** Serves a folder of static files below `base`, as any host of static files does. */
export async function serve(
  folder: string,
  base = '/',
  { isCompressed = false }: { readonly isCompressed?: boolean } = {},
): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const inside = normalize(decodeURIComponent(pathname)).slice(base.length - 1);
    const path = inside.endsWith('/') ? `${inside}index.html` : inside;
    try {
      const content = readFileSync(join(folder, path));
      response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
      if (isCompressed) response.setHeader('content-encoding', 'gzip');
      response.end(isCompressed ? gzipSync(content) : content);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await listening(server);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${base}`, close: () => server.close() };
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

/** The reply of the page's worker, as far as tests look at it. */
export interface Reply {
  readonly id: number;
  readonly error?: string;
  readonly result?: {
    readonly link: string;
    readonly differences: readonly string[];
  };
}

interface PageWorker {
  addEventListener(type: 'message', listener: (event: { readonly data: Reply }) => void): void;
  postMessage(message: unknown): void;
}

/** Runs in the page: plays replay strings in a worker of their own, one after the other. */
export function readAll(texts: readonly string[]): Promise<Reply[]> {
  const { Worker } = globalThis as unknown as {
    readonly Worker: new (url: string, options: { readonly type: 'module' }) => PageWorker;
  };
  const worker = new Worker('worker.js', { type: 'module' });
  const replies: Reply[] = [];
  return new Promise((resolve) => {
    const request = (id: number): void =>
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
      worker.postMessage({ id, name: 'read', request: { text: texts[id] } });
    worker.addEventListener('message', ({ data }) => {
      replies.push(data);
      if (replies.length < texts.length) request(replies.length);
      else resolve(replies);
    });
    request(0);
  });
}
