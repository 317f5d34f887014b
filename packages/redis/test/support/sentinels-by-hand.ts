import type { HostPort } from '../../src/adapters/clients.ts';
import type { OutgoingCommand } from '../../src/link.ts';
import { SentinelDialer } from '../../src/sentinel/sentinel-dialer.ts';
import { addressOfHost } from '../../src/sentinel/sentinel-url.ts';
import { HandDialer, type HandLink, type HandRuntime } from './by-hand.ts';

/** Lets promises that are settled already take effect. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve();
}

/** A server that is the test. */
class NamedDialer extends HandDialer {
  override readonly address: string;

  constructor(address: string) {
    super();
    this.address = address;
  }
}

/** A sentinel that is the test. */
export class HandSentinel extends NamedDialer {
  /** Names a server on 10.0.0.1 as the master, in answer to the latest question or the given one. */
  async names(port: number, epoch: number, asked?: HandLink): Promise<void> {
    await this.#reply(asked, (message) => {
      const question = message.args.join(' ');
      if (question.includes('GET-MASTER')) message.answered(['10.0.0.1', `${port}`]);
      else message.answered(['name', 'm', 'config-epoch', `${epoch}`]);
    });
  }

  async refuses(text: string): Promise<void> {
    await this.#reply(undefined, (message) => message.refused(text));
  }

  /** Tells its id and those of the sentinels that it knows. */
  async knows(id: string, peers: readonly string[]): Promise<void> {
    for (const message of this.question.written.slice(3)) {
      if (message.args[1] === 'MYID') message.answered(id);
      else message.answered(peers.map((peer) => ['name', peer, 'runid', peer]));
    }
    await settle();
  }

  async isDown(): Promise<void> {
    await settle();
    this.question.events.closed(new Error(`connect ECONNREFUSED ${this.address}`));
    await settle();
  }

  /** The number of questions so far. */
  get asked(): number {
    return this.links.filter(({ purpose }) => purpose === 'commands').length;
  }

  /** The latest connection that asks. */
  get question(): HandLink {
    return latest(this, 'commands');
  }

  /** The latest connection that listens. */
  get subscriber(): HandLink {
    return latest(this, 'wake-ups');
  }

  async #reply(
    asked: HandLink | undefined,
    reply: (message: OutgoingCommand) => void,
  ): Promise<void> {
    await settle();
    const question = asked ?? this.question;
    question.becomeReady();
    await settle();
    for (const message of question.written.slice(1)) reply(message);
    await settle();
  }
}

function latest(dialer: HandDialer, purpose: string): HandLink {
  const link = dialer.links.findLast((each) => each.purpose === purpose);
  if (link === undefined) throw new Error('it was not dialled');
  return link;
}

/** Three sentinels and the data nodes of one master, all of which are the test. */
export class HandSentinels {
  readonly runtime: HandRuntime;
  readonly all: readonly [HandSentinel, HandSentinel, HandSentinel] = [
    new HandSentinel('s:1'),
    new HandSentinel('s:2'),
    new HandSentinel('s:3'),
  ];
  readonly dialer: SentinelDialer;
  readonly #servers = new Map<string, HandDialer>();

  constructor(runtime: HandRuntime, connectMs = 2_000) {
    this.runtime = runtime;
    this.dialer = new SentinelDialer({
      runtime,
      address: 'sentinels/m',
      name: 'm',
      sentinels: this.all,
      dialMaster: (at) => this.#server(at),
      connectMs,
    });
  }

  /** The data node on 10.0.0.1. */
  at(port: number): HandDialer {
    return this.#server({ host: '10.0.0.1', port });
  }

  /** All three answer the latest question. */
  async name(port: number, epoch: number): Promise<void> {
    for (const sentinel of this.all) await sentinel.names(port, epoch);
  }

  /** The data node accepts the latest connection, and reports its role. */
  async accept(port: number, role: 'master' | 'replica' = 'master'): Promise<HandLink> {
    await settle();
    const link = this.at(port).last;
    link.events.ready();
    link.written.at(-1)?.answered(['role', role]);
    await settle();
    return link;
  }

  #server(at: HostPort): HandDialer {
    const address = addressOfHost(at);
    const server = this.#servers.get(address) ?? new NamedDialer(address);
    this.#servers.set(address, server);
    return server;
  }
}
