import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServerProcess } from '../../../processes/server-process.ts';
import { Supervisor } from '../../../processes/supervisor.ts';
import { rawReply } from './one-shot.ts';
import { findRedisServer } from './redis-install.ts';

/** Another sentinel, as a sentinel's configuration names it. */
export interface SentinelIdentity {
  readonly port: number;
  /** 40 hexadecimal digits. */
  readonly id: string;
}

export interface SentinelProcessOptions extends SentinelIdentity {
  /** The name of the master. */
  readonly name: string;
  readonly masterPort: number;
  readonly replicaPorts: readonly number[];
  readonly peers: readonly SentinelIdentity[];
  readonly quorum: number;
  readonly downAfterMs: number;
  /** Of the data nodes. */
  readonly password?: string | undefined;
  /** Of the sentinels. */
  readonly sentinelPassword?: string | undefined;
}

/** One sentinel on loopback. It ends when this process does. */
export class SentinelProcess {
  readonly port: number;
  readonly #process: ServerProcess;
  readonly #password: string | undefined;

  constructor(options: SentinelProcessOptions) {
    const binary = findRedisServer();
    if (binary === undefined)
      throw new Error('redis-server is not installed; set REDIS_SERVER or put it on PATH');
    const folder = Supervisor.get().folder('holdfast-sentinel-');
    const file = join(folder, 'sentinel.conf');
    writeFileSync(file, configuration(options, folder));
    this.port = options.port;
    this.#password = options.sentinelPassword;
    this.#process = new ServerProcess({
      name: `Sentinel on port ${options.port}`,
      folder,
      command: binary,
      args: [file, '--sentinel'],
      isReady: (output) => output.includes('Sentinel ID is'),
    });
  }

  /**
   * Starts it, again after `kill`, with what it knew. A sentinel whose timer is 2 s late, as on a busy machine, takes that for
   * a jump of the clock, and fails nothing over for 30 s: that is turned off, where the version can (Redis 7).
   */
  async restart(): Promise<void> {
    await this.#process.restart();
    await this.ask('DEBUG', 'tilt-trigger', '600000');
  }

  /** SIGSTOP. */
  stop(): void {
    this.#process.stop();
  }

  /** SIGCONT. */
  resume(): void {
    this.#process.resume();
  }

  /** SIGKILL. */
  kill(): void {
    this.#process.kill();
  }

  close(): Promise<void> {
    return this.#process.close();
  }

  /** Returns the reply to `SENTINEL …` as it is on the wire. */
  ask(...args: readonly string[]): Promise<string> {
    return this.command('SENTINEL', ...args);
  }

  /** Returns the reply to any command as it is on the wire. */
  command(...args: readonly string[]): Promise<string> {
    return rawReply({ port: this.port, password: this.#password }, ...args);
  }

  /** Returns the fields of the master, or of each of its replicas or peers, by name. */
  async fields(
    what: 'MASTER' | 'REPLICAS' | 'SENTINELS',
    name: string,
  ): Promise<readonly ReadonlyMap<string, string>[]> {
    const words = (await this.ask(what, name))
      .split('\r\n')
      .filter((word) => !/^[*$]\d/.test(word));
    const all: Map<string, string>[] = [];
    for (let at = words.indexOf('name'); at >= 0 && at + 1 < words.length; at += 2) {
      const [field = '', value = ''] = words.slice(at, at + 2);
      if (field === 'name') all.push(new Map());
      all.at(-1)?.set(field, value);
    }
    return all;
  }
}

/** Names the replicas and the peers at once: a sentinel takes two seconds to find them by itself. */
function configuration(options: SentinelProcessOptions, folder: string): string {
  const { name, port, id, masterPort, quorum, downAfterMs, password, sentinelPassword } = options;
  const replicas = options.replicaPorts.map((each) => `known-replica ${name} 127.0.0.1 ${each}`);
  const peers = options.peers.map(
    (peer) => `known-sentinel ${name} 127.0.0.1 ${peer.port} ${peer.id}`,
  );
  const sentinel = [
    `myid ${id}`,
    ...(sentinelPassword === undefined ? [] : [`sentinel-pass ${sentinelPassword}`]),
    `monitor ${name} 127.0.0.1 ${masterPort} ${quorum}`,
    `down-after-milliseconds ${name} ${downAfterMs}`,
    `failover-timeout ${name} 1000`,
    `parallel-syncs ${name} 2`,
    ...(password === undefined ? [] : [`auth-pass ${name} ${password}`]),
    ...replicas,
    ...peers,
  ];
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    ...(sentinelPassword === undefined ? [] : [`requirepass ${sentinelPassword}`]),
    ...sentinel.map((line) => `sentinel ${line}`),
    '',
  ].join('\n');
}
