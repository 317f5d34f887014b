/**
 * The resource, in a process of its own that no fault affects. It applies updates in the order of their arrival, and
 * its log is judged.
 */
import { createServer, type Socket } from 'node:net';
import { hostMs } from './clock.ts';
import { Counter } from './counter.ts';
import { EventLog, type LogEntry } from './event-log.ts';
import { type FromResource, onLines, sendLine, type ToResource } from './resource-protocol.ts';

const [logPath = ''] = process.argv.slice(2);
const log = new EventLog(logPath);
const counters = new Map<string, Counter>();

function counterOf(key: string): Counter {
  const counter = counters.get(key) ?? new Counter();
  counters.set(key, counter);
  return counter;
}

function apply(request: ToResource): FromResource {
  const { id, key, token } = request;
  const counter = counterOf(key);
  const fence = token === undefined ? undefined : BigInt(token);
  if (request.kind === 'read') return { id, reading: counter.read(fence) };
  const { plain, fenced } = request;
  const taken = counter.write({ plain, fenced }, fence);
  log.add(written(request, { resource: 'counter', fenced: false, accepted: true }, plain));
  if (taken.fenced !== null) {
    const effect = { resource: 'fenced counter', fenced: true, accepted: taken.fenced };
    log.add(written(request, effect, fenced));
  }
  return { id, reading: null };
}

interface Effect {
  readonly resource: string;
  readonly fenced: boolean;
  readonly accepted: boolean;
}

/** Every update adds one to the value that was read. */
function written(
  { key, client, hold, token }: ToResource,
  effect: Effect,
  value: number | null,
): LogEntry {
  return {
    type: 'write',
    atMs: hostMs(),
    client,
    key,
    hold,
    ...effect,
    ...(token === undefined ? {} : { token }),
    ...(value === null ? {} : { value, readValue: value - 1 }),
  };
}

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  // A client that is killed resets its connection; that is the experiment, not an error.
  socket.on('error', () => socket.destroy());
  onLines(socket, (line) => sendLine(socket, apply(JSON.parse(line))));
}

process.on('disconnect', () => process.exit());

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
