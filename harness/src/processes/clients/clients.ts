import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ChildProcesses } from '../child-processes.ts';
import { ShiftedClock } from '../clock-shim.ts';
import { type LogEntry, LogReader } from '../event-log.ts';
import { ExternalClient } from '../external/external-client.ts';
import type { Proxies, ProxyPort } from '../proxy/proxies.ts';
import { Supervisor } from '../supervisor.ts';
import { type Client, ForkedClient } from './client.ts';

export interface ClientsParts {
  /** The program of a client process. */
  readonly client: URL;
  readonly size: number;
  /** If given, each client reaches the resource through a proxy of its own. */
  readonly proxies?: Proxies;
  /** Called if the resource ends without {@link Clients.close}. */
  readonly onResourceEnd?: () => void;
  /** The library that shifts clocks, if it could be compiled. */
  readonly shim?: string | undefined;
}

/** What the clients of a trial are. */
export interface ClientKind {
  /** True if their clocks can be shifted. */
  readonly shifts: boolean;
  /** True if their lock is a command. */
  readonly isExternal: boolean;
}

const OWN: ClientKind = { shifts: false, isExternal: false };

interface ClientsResources {
  readonly folder: string;
  readonly processes: ChildProcesses;
  readonly resource: Resource;
  /** One for each client, if clients have proxies to the resource. */
  readonly proxyPorts: readonly ProxyPort[];
}

/** Client processes, and the resource they work on. */
export class Clients {
  readonly clients: Client[] = [];
  readonly #parts: ClientsParts;
  readonly #resources: ClientsResources;
  readonly #logs: LogReader[];
  readonly #entries = new Map<string, LogEntry[]>();
  #created = 0;
  #kind = OWN;
  #isClosed = false;

  private constructor(parts: ClientsParts, own: ClientsResources) {
    this.#parts = parts;
    this.#resources = own;
    this.#logs = [new LogReader(own.resource.logPath)];
    for (let place = 0; place < parts.size; place++) this.clients.push(this.#create(place));
    void own.resource.ended.then(() => this.#resourceEnded());
  }

  static async start(parts: ClientsParts): Promise<Clients> {
    const { proxies, size } = parts;
    const folder = Supervisor.get().folder('holdfast-clients-');
    const processes = new ChildProcesses();
    const resource = await Resource.start(processes, join(folder, 'resource.log'));
    const opening =
      proxies === undefined ? [] : Array.from({ length: size }, () => proxies.open(resource.port));
    return new Clients(parts, {
      folder,
      processes,
      resource,
      proxyPorts: await Promise.all(opening),
    });
  }

  /** The client that faults affect, and the others. */
  get parts(): { readonly victim: Client; readonly others: readonly Client[] } {
    const [victim, ...others] = this.clients;
    if (victim === undefined) throw new Error('there are no clients');
    return { victim, others };
  }

  /** The n-th client's proxy to the resource. */
  proxyPortOf(place: number): ProxyPort {
    const port = this.#resources.proxyPorts[place];
    if (port === undefined) throw new Error(`client ${place} has no proxy to the resource`);
    return port;
  }

  /** Starts a new client in the place of one that was killed. */
  replace(old: Client): Client {
    const place = this.clients.indexOf(old);
    const client = this.#create(place);
    this.clients[place] = client;
    return client;
  }

  /** Replaces all clients: after a failure the state of the old ones is unknown. */
  replaceAll(): void {
    for (const client of this.clients) {
      client.kill();
      this.replace(client);
    }
  }

  /** Makes all clients of this kind, which needs new ones if they are of another. */
  become(kind: ClientKind): void {
    const { shifts, isExternal } = this.#kind;
    if (shifts === kind.shifts && isExternal === kind.isExternal) return;
    this.#kind = kind;
    this.replaceAll();
  }

  /** Rejects as soon as one of the clients of now fails, or ends by itself. */
  get failure(): Promise<never> {
    return Promise.race(this.clients.map(({ failure }) => failure));
  }

  /** The entries about one key so far, of all clients, dead ones too, and of the resource. */
  async entries(key: string): Promise<readonly LogEntry[]> {
    const read = await Promise.all(this.#logs.map((log) => log.next()));
    for (const entry of read.flat()) {
      const known = this.#entries.get(entry.key) ?? [];
      known.push(entry);
      this.#entries.set(entry.key, known);
    }
    return this.#entries.get(key) ?? [];
  }

  /** As {@link entries}, then forgets all entries: the next trial has another key. */
  async takeEntries(key: string): Promise<readonly LogEntry[]> {
    const entries = await this.entries(key);
    this.#entries.clear();
    return entries;
  }

  close(): void {
    this.#isClosed = true;
    for (const client of this.clients) client.kill();
    this.#resources.processes.close();
    Supervisor.get().remove(this.#resources.folder);
  }

  #resourceEnded(): void {
    if (this.#isClosed) return;
    // First, so that the clients' failures are not taken for an effect of the fault.
    this.#parts.onResourceEnd?.();
    for (const client of this.clients) client.fail(new Error('the resource has ended'));
  }

  #create(place: number): Client {
    const { client: entry, shim } = this.#parts;
    const { folder, processes, resource, proxyPorts } = this.#resources;
    const name = `p${++this.#created}`;
    const logPath = join(folder, `${name}.log`);
    this.#logs.push(new LogReader(logPath));
    const { shifts, isExternal } = this.#kind;
    const clock = shifts && shim !== undefined ? new ShiftedClock(shim, folder, name) : undefined;
    const { port: resourcePort } = proxyPorts[place] ?? resource;
    const parts = { name, logPath, resourcePort, clock };
    return isExternal
      ? new ExternalClient(parts)
      : new ForkedClient(processes, { entry, ...parts });
  }
}

/** The resource process, as the lab sees it. */
class Resource {
  readonly port: number;
  readonly logPath: string;
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<void>;

  private constructor(port: number, logPath: string, ended: Promise<void>) {
    this.port = port;
    this.logPath = logPath;
    this.ended = ended;
  }

  static async start(processes: ChildProcesses, logPath: string): Promise<Resource> {
    const child = processes.fork(new URL('../resource-process.js', import.meta.url), [logPath]);
    const ended = new Promise<void>((done) => child.once('exit', () => done()));
    const { port } = await new Promise<AddressInfo>((resolve, reject) => {
      child.once('message', (address: AddressInfo) => resolve(address));
      child.once('exit', () => reject(new Error('the resource process did not start')));
    });
    return new Resource(port, logPath, ended);
  }
}
