import type { Clock } from './clock.ts';
import { type Endpoint, endpointOf, type Server, shuffled } from './servers.ts';
import type { Resolve } from './socket.ts';

/**
 * Which address is dialled next: every address of every server in turn. A name is resolved for each attempt, because the
 * servers behind one, as of a Kubernetes headless service, come and go.
 */
export class ServerRotation {
  readonly #hosts: readonly ResolvedServer[];
  #at = 0;
  /** How many addresses of the host at `#at` have had their turn. */
  #dialled = 0;

  constructor(servers: readonly Server[], clock: Clock, resolve: Resolve) {
    this.#hosts = shuffled(servers, clock).map(
      (server) => new ResolvedServer(server, clock, resolve),
    );
  }

  /** Of all servers together, as they were resolved last; one for a name that was not. */
  get addresses(): number {
    return this.#hosts.reduce((sum, { addresses }) => sum + Math.max(1, addresses), 0);
  }

  /** Tells which address to dial, or why a name is of no use; not after `forget` or `skip`. */
  next(told: (next: Endpoint | Error) => void): void {
    const host = this.#host;
    host?.next((next) => {
      this.#dialled++;
      if (this.#dialled >= host.addresses) this.#advance();
      told(next);
    });
  }

  /** Nobody waits for `next` any more. */
  forget(): void {
    this.#host?.forget();
  }

  /** The lookup takes too long: the next server has its turn. Returns that as an error. */
  skip(ms: number): Error {
    const name = this.#host?.server.name ?? '';
    this.forget();
    this.#advance();
    return new Error(`${name} was not resolved within ${Math.round(ms)} ms`);
  }

  get #host(): ResolvedServer | undefined {
    return this.#hosts[this.#at];
  }

  #advance(): void {
    this.#at = (this.#at + 1) % this.#hosts.length;
    this.#dialled = 0;
  }
}

/** One server as it was named, and the addresses behind the name. */
class ResolvedServer {
  readonly server: Server;
  readonly #clock: Clock;
  readonly #resolve: Resolve;
  /** The one that was dialled the longest time ago comes first. */
  #addresses: string[] = [];
  #told: ((next: Endpoint | Error) => void) | undefined;
  #isAsking = false;

  constructor(server: Server, clock: Clock, resolve: Resolve) {
    this.server = server;
    this.#clock = clock;
    this.#resolve = resolve;
  }

  get addresses(): number {
    return this.#addresses.length;
  }

  next(told: (next: Endpoint | Error) => void): void {
    this.#told = told;
    if (!this.#isAsking) this.#ask();
  }

  forget(): void {
    this.#told = undefined;
  }

  /** One lookup at a time: it cannot be cancelled, and many in vain would occupy the threads of the process. */
  #ask(): void {
    this.#isAsking = true;
    this.#resolve(this.server.host, (found) => {
      this.#isAsking = false;
      const told = this.#told;
      this.#told = undefined;
      told?.(this.#take(found));
    });
  }

  #take(found: readonly string[] | Error): Endpoint | Error {
    const all = found instanceof Error ? [] : [...new Set(found)];
    const known = this.#addresses.filter((address) => all.includes(address));
    const unknown = all.filter((address) => !known.includes(address));
    this.#addresses = [...shuffled(unknown, this.#clock), ...known];
    const address = this.#addresses.shift();
    if (address === undefined) return unresolved(this.server, found);
    this.#addresses.push(address);
    return endpointOf(this.server, address);
  }
}

function unresolved({ name }: Server, found: readonly string[] | Error): Error {
  const cause = found instanceof Error ? found : undefined;
  return new Error(`${name} could not be resolved: ${cause?.message ?? 'no address'}`, { cause });
}
