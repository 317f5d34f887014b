// A route handler of Next.js, in a deployment of many short-lived processes. Locks are opened once for each process and never
// for each request: opening connects and checks the server. The example calls the handler as Next does; it starts no Next.
//
// Run it: npm run example 15            or: npm run example 15 redis://localhost

import { setTimeout as work } from 'node:timers/promises';
import { isLockError, type Locks, openLocks } from 'holdfast';

// lib/locks.ts. In development Next loads modules anew after each change; the global object stays.
declare global {
  var holdfast: Promise<Locks> | undefined;
}
let opened = 0;
function locks(): Promise<Locks> {
  globalThis.holdfast ??= open().catch((error: unknown) => {
    globalThis.holdfast = undefined; // the next request tries again
    throw error;
  });
  return globalThis.holdfast;
}
async function open(): Promise<Locks> {
  opened += 1;
  // A platform may freeze a process between two requests, and no lease is renewed then. A short ttl frees its key soon.
  return await openLocks(process.argv[2] ?? 'memory:');
}

// app/orders/[id]/charge/route.ts, where it is exported.
interface Context {
  readonly params: Promise<{ readonly id: string }>;
}
async function POST(_request: Request, { params }: Context): Promise<Response> {
  const { id } = await params;
  try {
    const held = await locks();
    const run = await held.tryUse(`orders/${id}`, () => work(200), { ttlMs: 10_000 });
    if (run.ran) return Response.json({ charged: id });
    return Response.json({ error: 'busy' }, { status: 409, headers: { 'retry-after': '1' } });
  } catch (error) {
    if (!isLockError(error, 'BACKEND_UNAVAILABLE')) throw error;
    return Response.json({ error: 'the lock service is down' }, { status: 503 });
  }
}

// For the example: a customer clicks twice, and once more later.
async function click(): Promise<string> {
  const request = new Request('https://shop.example/orders/15/charge', { method: 'POST' });
  const response = await POST(request, { params: Promise.resolve({ id: '15' }) });
  return `${response.status} ${JSON.stringify(await response.json())}`;
}
const clicks = await Promise.all([click(), click()]);
for (const line of clicks.toSorted()) console.log(line);
console.log(await click());
console.log(`opened ${opened} time`);

await (await locks()).close();
