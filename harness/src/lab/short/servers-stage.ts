import { cpus, hostname } from 'node:os';
import { ConfigError, type FaultId } from '@holdfast/core';
import { redactText } from 'holdfast/internal';
import { median } from '../../check/index.ts';
import { evidenceOf } from '../../compare/evidence.ts';
import type { RunHead } from '../../compare/format-safety.ts';
import { judgeCell, untriedCell } from '../../compare/judge-cell.ts';
import type { Cell, Figure, ReportRow } from '../../compare/report.ts';
import type { Stage } from '../../compare/stage.ts';
import { takeoverMs } from '../../compare/took-effect.ts';
import type { Column } from '../../draw/index.ts';
import { isControl } from '../../locks/index.ts';
import { type Client, Crew } from '../../plant/index.ts';
import { NO_LOCK, opener } from '../clients/open-locks-of.ts';
import { figuresOf } from './figures.ts';
import type { Server } from './server.ts';
import { type Subject, subjectsOf } from './subject.ts';
import { type Effort, type Ground, PLAYED, tryFault } from './trials.ts';

export interface StageOptions {
  readonly processes: number;
  readonly effort: Effort;
  /** What is not compared, and why. */
  readonly notes: readonly string[];
  /** Only these, where any are named; what cannot be played here is not among them. */
  readonly faults?: readonly string[] | undefined;
  /** Only these and the control. */
  readonly backends?: readonly string[] | undefined;
}

/** Real servers and real processes. */
export class ServersStage implements Stage {
  readonly head: RunHead;
  readonly #servers: readonly Server[];
  readonly #subjects: readonly Subject[];
  readonly #crew: Crew;
  readonly #effort: Effort;
  readonly #namespace: string;
  readonly #takeoversMs = new Map<string, readonly number[]>();

  private constructor(
    servers: readonly Server[],
    parts: { subjects: readonly Subject[]; crew: Crew; namespace: string },
    { processes, effort, notes, faults }: StageOptions,
  ) {
    this.#servers = servers;
    this.#subjects = parts.subjects;
    this.#crew = parts.crew;
    this.#namespace = parts.namespace;
    this.#effort = effort;
    this.head = {
      servers: servers[0]?.kind ?? 'own',
      how: 'measured',
      by: `${servers.map((each) => each.description).join(', ')}; Node ${process.version}, ${cpus().length} cores`,
      settings: { processes, ...effort },
      rows: PLAYED.filter((fault) => faults?.includes(fault) ?? true).map((fault) => ({ fault })),
      columns: parts.subjects.map(({ column }) => column),
      ...(notes.length > 0 && { notes }),
    };
  }

  static async open(servers: readonly Server[], options: StageOptions): Promise<ServersStage> {
    const namespace = `holdfast-compare-${hostname()}-${process.pid}-${Date.now()}`;
    const { ttlMs } = options.effort;
    const all = await subjectsOf(servers, { namespace, ttlMs });
    const subjects = chosenOf(all, options.backends);
    const crew = await Crew.start({ client: opener.client, size: options.processes });
    try {
      await Promise.all(crew.clients.map((client) => openAll(client, subjects)));
      return new ServersStage(servers, { subjects, crew, namespace }, options);
    } catch (error) {
      crew.close();
      throw error;
    }
  }

  untried({ fault }: ReportRow, column: Column): Cell | undefined {
    return untriedCell({ how: 'measured', fault, column: column.id });
  }

  async cell({ fault }: ReportRow, column: Column): Promise<Cell> {
    const ground = this.#ground(column, fault);
    const histories = await tryFault(fault, ground);
    if (fault === 'holder-crash') this.#takeoversMs.set(column.id, histories.flatMap(takeoverMs));
    const evidence = evidenceOf(histories, fault, ground.isLocked);
    return judgeCell({ how: 'measured', fault, column: column.id }, evidence);
  }

  async figures(column: Column): Promise<readonly Figure[]> {
    const subject = this.#subjectOf(column);
    if (subject.opening === null) return [];
    const ground = this.#ground(column, 'none');
    const figures = await figuresOf(ground, subject, this.#namespace);
    const isCrashed = this.head.rows.some(({ fault }) => fault === 'holder-crash');
    return isCrashed ? [...figures, this.#takeover(subject)] : figures;
  }

  async close(): Promise<readonly string[]> {
    this.#crew.close();
    const left = await Promise.all(this.#servers.map((server) => this.#leave(server)));
    return left.flat();
  }

  /** What cannot be removed is no reason to lose the report. */
  async #leave(server: Server): Promise<readonly string[]> {
    try {
      await server.sweep?.(this.#namespace);
      return [];
    } catch (error) {
      const why = redactText(error instanceof Error ? error.message : String(error));
      return [
        `What begins with ${this.#namespace} is left at ${server.description}, on Redis for a day: ${why}.`,
      ];
    } finally {
      await server.close();
    }
  }

  #takeover({ column, processes }: Subject): Figure {
    const takeovers = this.#takeoversMs.get(column.id) ?? [];
    return {
      metric: 'takeover-ms',
      column: column.id,
      value: median(takeovers),
      how: 'measured',
      by: `median, ttl ${this.#effort.ttlMs} ms`,
      samples: takeovers.length,
      ...(processes === 'one' ? { reason: 'its locks die with its one process' } : {}),
    };
  }

  /** The same number of clients on every column, whatever the number of processes. */
  #ground(column: Column, fault: FaultId): Ground {
    const { clients } = this.#crew;
    const alone = this.#subjectOf(column).processes === 'one';
    const waiters = alone ? this.#effort.waiters * clients.length : this.#effort.waiters;
    const repetitions = fault === 'none' ? 1 : this.#effort.trials;
    const keys = Array.from(
      { length: repetitions },
      (_, n) => `${this.#namespace}/${column.id}/${fault}/${n + 1}`,
    );
    return {
      crew: this.#crew,
      open: (client) => openAll(client, this.#subjects),
      column: column.id,
      isLocked: !isControl(column.id),
      clients: alone ? clients.slice(0, 1) : [...clients],
      keys,
      effort: { ...this.#effort, waiters },
    };
  }

  #subjectOf(column: Column): Subject {
    const subject = this.#subjects.find((each) => each.column.id === column.id);
    if (subject === undefined) throw new Error(`nothing is known of column ${column.id}`);
    return subject;
  }
}

async function openAll(client: Client, subjects: readonly Subject[]): Promise<void> {
  const open = ({ column, opening }: Subject): Promise<unknown> =>
    client.ask({ kind: 'open', locks: column.id, opening: opening ?? NO_LOCK });
  await Promise.all(subjects.map(open));
}

/**
 * The control, and what was asked for.
 * @throws ConfigError for a backend that is not on these servers
 */
function chosenOf(
  all: readonly Subject[],
  backends: readonly string[] | undefined,
): readonly Subject[] {
  if (backends === undefined) return all;
  const there = all.map(({ column }) => column.backend);
  const missing = backends.find((backend) => !there.includes(backend));
  if (missing !== undefined)
    throw new ConfigError(
      `${missing} is not compared on these servers; --backends may name ${[...new Set(there)].join(', ')}`,
    );
  return all.filter(({ column, opening }) => opening === null || backends.includes(column.backend));
}
