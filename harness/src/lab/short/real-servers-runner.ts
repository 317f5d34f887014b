import { cpus, hostname } from 'node:os';
import { ConfigError, type FaultId } from '@holdfast/core';
import { redactText } from 'holdfast/internal';
import { median } from '../../check/index.ts';
import { evidenceOf, takeoverMs } from '../../compare/evidence.ts';
import type { RunHead } from '../../compare/format-safety.ts';
import { inapplicableCell, judgeComparedCell } from '../../compare/judge-compared-cell.ts';
import type { Cell, Figure, ReportRow } from '../../compare/report.ts';
import type { ComparisonRunner } from '../../compare/run-comparison.ts';
import type { Column } from '../../draw/index.ts';
import { isControl } from '../../locks/index.ts';
import { type Client, Clients } from '../../plant/index.ts';
import { NO_LOCK, opener } from '../clients/open-locks-of.ts';
import { type ComparedColumn, comparedColumns } from './compared-columns.ts';
import type { ComparedServer } from './compared-server.ts';
import { figuresOf } from './figures.ts';
import {
  type FaultTrialContext,
  PLAYABLE_FAULTS,
  runFault,
  type WorkloadOptions,
} from './run-fault.ts';

export interface RealServersRunnerOptions {
  readonly processes: number;
  readonly effort: WorkloadOptions;
  /** What is not compared, and why. */
  readonly notes: readonly string[];
  /** Only these, where any are named; what cannot be played here is not among them. */
  readonly faults?: readonly string[] | undefined;
  /** Only these and the control. */
  readonly backends?: readonly string[] | undefined;
}

/** Real servers and real processes. */
export class RealServersRunner implements ComparisonRunner {
  readonly head: RunHead;
  readonly #servers: readonly ComparedServer[];
  readonly #subjects: readonly ComparedColumn[];
  readonly #clients: Clients;
  readonly #effort: WorkloadOptions;
  readonly #namespace: string;
  readonly #takeoversMs = new Map<string, readonly number[]>();

  private constructor(
    servers: readonly ComparedServer[],
    parts: { subjects: readonly ComparedColumn[]; crew: Clients; namespace: string },
    { processes, effort, notes, faults }: RealServersRunnerOptions,
  ) {
    this.#servers = servers;
    this.#subjects = parts.subjects;
    this.#clients = parts.crew;
    this.#namespace = parts.namespace;
    this.#effort = effort;
    this.head = {
      servers: servers[0]?.kind ?? 'own',
      how: 'measured',
      by: `${servers.map((each) => each.description).join(', ')}; Node ${process.version}, ${cpus().length} cores`,
      settings: { processes, ...effort },
      rows: PLAYABLE_FAULTS.filter((fault) => faults?.includes(fault) ?? true).map((fault) => ({
        fault,
      })),
      columns: parts.subjects.map(({ column }) => column),
      ...(notes.length > 0 && { notes }),
    };
  }

  static async open(
    servers: readonly ComparedServer[],
    options: RealServersRunnerOptions,
  ): Promise<RealServersRunner> {
    const namespace = `holdfast-compare-${hostname()}-${process.pid}-${Date.now()}`;
    const { ttlMs } = options.effort;
    const all = await comparedColumns(servers, { namespace, ttlMs });
    const subjects = chosenOf(all, options.backends);
    const clients = await Clients.start({ client: opener.client, size: options.processes });
    try {
      await Promise.all(clients.clients.map((client) => openAll(client, subjects)));
      return new RealServersRunner(servers, { subjects, crew: clients, namespace }, options);
    } catch (error) {
      clients.close();
      throw error;
    }
  }

  inapplicableCell({ fault }: ReportRow, column: Column): Cell | undefined {
    return inapplicableCell({ how: 'measured', fault, column: column.id });
  }

  async runCell({ fault }: ReportRow, column: Column): Promise<Cell> {
    const ground = this.#trialContext(column, fault);
    const histories = await runFault(fault, ground);
    if (fault === 'holder-crash') this.#takeoversMs.set(column.id, histories.flatMap(takeoverMs));
    const evidence = evidenceOf(histories, fault, ground.isLocked);
    return judgeComparedCell({ how: 'measured', fault, column: column.id }, evidence);
  }

  async figures(column: Column): Promise<readonly Figure[]> {
    const subject = this.#subjectOf(column);
    if (subject.opening === null) return [];
    const ground = this.#trialContext(column, 'none');
    const figures = await figuresOf(ground, subject, this.#namespace);
    const isCrashed = this.head.rows.some(({ fault }) => fault === 'holder-crash');
    return isCrashed ? [...figures, this.#takeover(subject)] : figures;
  }

  async close(): Promise<readonly string[]> {
    this.#clients.close();
    const left = await Promise.all(this.#servers.map((server) => this.#cleanUp(server)));
    return left.flat();
  }

  /** What cannot be removed is no reason to lose the report. */
  async #cleanUp(server: ComparedServer): Promise<readonly string[]> {
    try {
      await server.removeNamespace?.(this.#namespace);
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

  #takeover({ column, processes }: ComparedColumn): Figure {
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
  #trialContext(column: Column, fault: FaultId): FaultTrialContext {
    const { clients } = this.#clients;
    const alone = this.#subjectOf(column).processes === 'one';
    const waiters = alone ? this.#effort.waiters * clients.length : this.#effort.waiters;
    const repetitions = fault === 'none' ? 1 : this.#effort.trials;
    const keys = Array.from(
      { length: repetitions },
      (_, n) => `${this.#namespace}/${column.id}/${fault}/${n + 1}`,
    );
    return {
      allClients: this.#clients,
      open: (client) => openAll(client, this.#subjects),
      column: column.id,
      isLocked: !isControl(column.id),
      working: alone ? clients.slice(0, 1) : [...clients],
      keys,
      effort: { ...this.#effort, waiters },
    };
  }

  #subjectOf(column: Column): ComparedColumn {
    const subject = this.#subjects.find((each) => each.column.id === column.id);
    if (subject === undefined) throw new Error(`nothing is known of column ${column.id}`);
    return subject;
  }
}

async function openAll(client: Client, subjects: readonly ComparedColumn[]): Promise<void> {
  const open = ({ column, opening }: ComparedColumn): Promise<unknown> =>
    client.run({ kind: 'open', locks: column.id, opening: opening ?? NO_LOCK });
  await Promise.all(subjects.map(open));
}

/**
 * The control, and what was asked for.
 * @throws ConfigError for a backend that is not on these servers
 */
function chosenOf(
  all: readonly ComparedColumn[],
  backends: readonly string[] | undefined,
): readonly ComparedColumn[] {
  if (backends === undefined) return all;
  const there = all.map(({ column }) => column.backend);
  const missing = backends.find((backend) => !there.includes(backend));
  if (missing !== undefined)
    throw new ConfigError(
      `${missing} is not compared on these servers; --backends may name ${[...new Set(there)].join(', ')}`,
    );
  return all.filter(({ column, opening }) => opening === null || backends.includes(column.backend));
}
