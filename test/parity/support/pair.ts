import { type EngineReply, RedisEngine } from '@holdfast/harness/simulator';
import { RedisServer } from '../../../harness/test/kit/real-servers.ts';
import { asBefore, isLater } from './later-servers.ts';
import { Wire } from './wire.ts';

export type CommandLine = readonly string[];

/** Differences between the two. */
export interface Difference {
  readonly command: CommandLine;
  readonly real: EngineReply;
  readonly simulated: EngineReply;
}

/** A real server, and an engine that gets the same commands at an equal time of day. */
export class Pair {
  readonly #server: RedisServer;
  readonly #wire: Wire;
  readonly #isLater: boolean;
  /** The number of compared replies. */
  compared = 0;

  private constructor(server: RedisServer, wire: Wire, info: string) {
    this.#server = server;
    this.#wire = wire;
    this.#isLater = isLater(info);
  }

  static async start(): Promise<Pair> {
    const server = await RedisServer.start();
    const wire = await Wire.connect(server.port);
    const [info] = await wire.ask([['INFO', 'server']]);
    return new Pair(server, wire, JSON.stringify(info));
  }

  async close(): Promise<void> {
    this.#wire.close();
    await this.#server.close();
  }

  /** Both start empty. Returns what they answered differently, after each reply has been made comparable. */
  async differences(commands: readonly CommandLine[]): Promise<Difference[]> {
    const [, time, ...real] = await this.#wire.ask([['FLUSHALL'], ['TIME'], ...commands]);
    const nowUs = microseconds(time);
    const engine = new RedisEngine({ nowUs: () => nowUs, runId: 'a'.repeat(40), publish: () => 0 });
    this.compared += commands.length;
    return commands.flatMap((command, at) => {
      const replies = { real: real[at] ?? null, simulated: engine.execute(command) };
      const { real: one, simulated: other } = this.#comparable(replies);
      return agree(command, one, other) ? [] : [{ command, ...replies }];
    });
  }

  #comparable({ real, simulated }: Omit<Difference, 'command'>): Omit<Difference, 'command'> {
    return this.#isLater
      ? { real: asBefore(real), simulated: asBefore(simulated) }
      : { real, simulated };
  }

  ask(commands: readonly CommandLine[]): Promise<EngineReply[]> {
    return this.#wire.ask(commands);
  }
}

export function microseconds(time: EngineReply | undefined): number {
  if (!Array.isArray(time)) throw new Error('TIME has to reply with an array');
  return Number(time[0]) * 1_000_000 + Number(time[1]);
}

/** The largest difference between times: a pipeline takes a while on a busy machine, and the engine's clock is stopped. */
const TOLERANCES: Readonly<Record<string, number>> = {
  PTTL: 250,
  PEXPIRETIME: 250,
  TTL: 1,
  EXPIRETIME: 1,
};

const UNORDERED: ReadonlySet<string> = new Set(['SMEMBERS', 'KEYS', 'SCAN']);

function agree([name = '']: CommandLine, real: EngineReply, simulated: EngineReply): boolean {
  const tolerance = TOLERANCES[name];
  if (tolerance !== undefined && isTime(real) && isTime(simulated))
    return Math.abs(real - simulated) <= tolerance;
  return shown(name, real) === shown(name, simulated);
}

/** The negative ones have a meaning. */
function isTime(reply: EngineReply): reply is number {
  return typeof reply === 'number' && reply >= 0;
}

/** Each parser words its own compile errors; only the failure and its line are compared. */
const COMPILING = /^ERR Error compiling script \(new function\): user_script:\d+:/;

function shown(name: string, reply: EngineReply): string {
  const failure =
    typeof reply === 'object' && reply !== null && 'error' in reply
      ? COMPILING.exec(reply.error)
      : null;
  if (failure !== null) return failure[0];
  return JSON.stringify(UNORDERED.has(name) ? sorted(reply) : reply);
}

function sorted(reply: EngineReply): EngineReply {
  if (!Array.isArray(reply)) return reply;
  const items: EngineReply[] = reply.map(sorted);
  return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
