import { Duplex } from 'node:stream';
import type {
  EngineReply,
  Network,
  SimProcess,
  SimRedisServer,
  SimRedisService,
} from '@holdfast/harness/simulator';
import { inside } from './current-process.ts';
import { labelOf } from './labels.ts';
import { networkAccessOf } from './network-access.ts';
import { mapBytes, pushBytes, Requests, replyBytes } from './resp.ts';
import { clear, timeout } from './timers.ts';

type Connection = ReturnType<Network['connect']>;
type Done = (error?: Error | null) => void;

/** The result of `net.createConnection` in a simulated process. */
export function dial(process: SimProcess, { host = '' }: { readonly host?: string }): SimSocket {
  const { network, addresses } = networkAccessOf(process.runtime);
  const address = addresses.get(host);
  if (address === undefined) throw new Error(`unknown host ${host}`);
  return new SimSocket(process, network, address);
}

/** One TCP connection to a simulated server, as Node shows it: below the published client libraries. */
class SimSocket extends Duplex {
  connecting = true;
  readonly #process: SimProcess;
  readonly #server: SimRedisServer;
  readonly #connection: Connection;
  readonly #requests = new Requests();
  #protocol: 2 | 3 = 2;
  #timer: unknown;

  constructor(process: SimProcess, network: Network, address: SimRedisService) {
    super({ allowHalfOpen: false });
    this.#process = process;
    this.#server = address.serverFor(process);
    this.#connection = network.connect(process, this.#server, {
      ready: () => inside(process, () => this.#connected()),
      closed: (cause) => inside(process, () => this.destroy(this.#failure(cause))),
    });
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** Only while it connects is anything silent for long: no client sets it later by default. */
  setTimeout(ms: number, run?: () => void): this {
    clear(this.#timer);
    if (run !== undefined) this.once('timeout', run);
    if (ms > 0) this.#timer = timeout(this.#process, () => this.emit('timeout'), ms);
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer | string, _encoding: string, done: Done): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (const args of this.#requests.take(bytes)) this.#send(args);
    done();
  }

  override _final(done: Done): void {
    this.#connection.close();
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    clear(this.#timer);
    this.#connection.close();
    done(error);
  }

  #connected(): void {
    clear(this.#timer);
    this.connecting = false;
    this.emit('connect');
  }

  #failure(cause: Error): Error {
    const [code, what] = this.connecting ? ['ECONNREFUSED', 'connect'] : ['ECONNRESET', 'read'];
    return Object.assign(new Error(`${what} ${code}`, { cause }), { code });
  }

  #send(args: readonly string[]): void {
    const name = (args[0] ?? '').toUpperCase();
    if (name === 'SUBSCRIBE') return this.#subscribe(args[1] ?? '');
    if (name === 'UNSUBSCRIBE') return this.#unsubscribe(args[1] ?? '');
    const label = labelOf(args);
    const answered = (reply: EngineReply): void => this.#receive(this.#answer(args, reply));
    this.#connection.request(
      label,
      () => this.#server.program.serve(this.#connection, label, args, answered),
      () => args.join(' '),
    );
  }

  #answer(args: readonly string[], reply: EngineReply): string {
    if (args[0]?.toUpperCase() !== 'HELLO' || !Array.isArray(reply))
      return replyBytes(reply, this.#protocol);
    // The engine knows no protocols: they are a concern of the connection.
    this.#protocol = args[1] === '3' ? 3 : 2;
    const at = reply.indexOf('proto') + 1;
    return mapBytes(reply.with(at, this.#protocol), this.#protocol);
  }

  #subscribe(channel: string): void {
    const { program } = this.#server;
    const heard = this.#payloads((payload) =>
      this.#receive(pushBytes(['message', channel, payload], this.#protocol)),
    );
    this.#connection.request('SUBSCRIBE', () =>
      program.subscribe(this.#connection, channel, heard, () =>
        this.#receive(pushBytes(['subscribe', channel, 1], this.#protocol)),
      ),
    );
  }

  #unsubscribe(channel: string): void {
    this.#connection.request('UNSUBSCRIBE', () => {
      this.#server.program.unsubscribe(this.#connection, channel);
      const { nowUs } = this.#process;
      this.#connection.reply('UNSUBSCRIBE', nowUs, () =>
        this.#receive(pushBytes(['unsubscribe', channel, 0], this.#protocol)),
      );
    });
  }

  /** Our own recipes ignore the published message, so a server shows it only in the detail for people. */
  #payloads(hear: (payload: string) => void): () => void {
    const connection = this.#connection;
    const push = connection.push.bind(connection);
    connection.push = (label, departUs, _run, detail) => {
      const [, payload = ''] = /^\S+ (.*)$/s.exec(detail?.() ?? '') ?? [];
      push(label, departUs, () => hear(payload), detail);
    };
    return () => {};
  }

  #receive(bytes: string): void {
    inside(this.#process, () => this.push(bytes));
  }
}
