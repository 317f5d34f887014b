import type { EventOwner } from '../../../sim/event-queue.ts';
import type { Kernel } from '../../../sim/kernel.ts';
import type { Connection } from '../../../sim/net/connection.ts';
import { partsOf, type World } from '../../../sim/world.ts';
import { describeReply } from './describe.ts';
import type { LinkServer } from './link.ts';
import type { EngineReply } from './reply.ts';
import { Subscribers } from './subscribers.ts';

/** The name of the master that all sentinels monitor. */
export const MASTER_NAME = 'mymaster';
/** The port of every simulated server; only their names differ. */
export const SIM_PORT = 6379;

/** What a sentinel says of the master. A failover raises the epoch. */
export interface MasterConfig {
  /** The name of the server. */
  readonly host: string;
  readonly epoch: number;
}

/** One sentinel, as far as clients ask it: which server is the master, who its peers are, and what it publishes. */
export class SimSentinel implements LinkServer, EventOwner {
  readonly name: string;
  readonly readyAtUs = 0;
  readonly crashed = false;
  readonly #kernel: Kernel;
  readonly #subscribers = new Subscribers();
  #config: MasterConfig;
  #peers: readonly SimSentinel[] = [];

  constructor(world: World, name: string, config: MasterConfig) {
    const { kernel, claim } = partsOf(world);
    claim(name, 'sentinel');
    this.name = name;
    this.#kernel = kernel;
    this.#config = config;
  }

  get program(): this {
    return this;
  }

  /** 40 hex digits. */
  get id(): string {
    return Array.from(this.name, (char) => char.charCodeAt(0).toString(16))
      .join('')
      .padEnd(40, '0');
  }

  meets(sentinels: readonly SimSentinel[]): void {
    this.#peers = sentinels.filter((each) => each !== this);
  }

  /** Learns of a failover. The sentinel that led it publishes another event in time than the others do. */
  learn(config: MasterConfig, how: 'led' | 'heard'): void {
    const { host: old, epoch } = this.#config;
    if (config.epoch <= epoch) return;
    this.#config = config;
    this.#kernel.record(this.name, 'learn', config.host);
    const text = `${MASTER_NAME} ${old} ${SIM_PORT} ${config.host} ${SIM_PORT}`;
    const channel = how === 'led' ? '+promoted-slave' : '+switch-master';
    this.#subscribers.publish(channel, text, this.#kernel.nowUs);
  }

  /** A sentinel is an address of its own. */
  serverFor(): this {
    return this;
  }

  accept(): EventOwner {
    return this;
  }

  disconnected(connection: Connection): void {
    this.#subscribers.left(connection);
  }

  serve(
    connection: Connection,
    label: string,
    args: readonly string[],
    replied: (reply: EngineReply) => void,
  ): void {
    this.#kernel.begin(this.name, 'exec', label);
    const reply = this.#reply(args);
    const settle = (): void => replied(reply);
    connection.reply(label, this.#kernel.nowUs, settle, () => describeReply(reply));
  }

  subscribe(
    connection: Connection,
    channel: string,
    heard: (text: string) => void,
    replied: (reply: EngineReply) => void,
  ): void {
    this.#kernel.begin(this.name, 'exec', 'SUBSCRIBE');
    this.#subscribers.add(connection, channel, heard);
    connection.reply('SUBSCRIBE', this.#kernel.nowUs, () => replied(1));
  }

  unsubscribe(connection: Connection, channel: string): void {
    this.#subscribers.remove(connection, channel);
  }

  #reply([command = '', word = '', name = '']: readonly string[]): EngineReply {
    if (command === 'HELLO') return HELLO;
    if (command !== 'SENTINEL')
      return { error: `ERR unknown command '${command}', with args beginning with: ` };
    if (word === 'MYID') return this.id;
    const isKnown = name === MASTER_NAME;
    const { host } = this.#config;
    if (word === 'GET-MASTER-ADDR-BY-NAME') return isKnown ? [host, `${SIM_PORT}`] : null;
    if (!isKnown) return { error: 'ERR No such master with that name' };
    return word === 'MASTER' ? this.#master() : this.#peers.map(peerFields);
  }

  /** Only the fields that clients read. */
  #master(): readonly string[] {
    const { host, epoch } = this.#config;
    return ['name', MASTER_NAME, 'ip', host, 'port', `${SIM_PORT}`, 'config-epoch', `${epoch}`];
  }
}

const SERVER = ['server', 'redis', 'version', '7.0.15', 'proto', 2, 'id', 1];
const HELLO: EngineReply = [...SERVER, 'mode', 'sentinel', 'modules', []];

function peerFields({ name, id }: SimSentinel): readonly string[] {
  return ['name', name, 'runid', id];
}
