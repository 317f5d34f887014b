import { cpus, hostname } from 'node:os';
import { ConfigError } from '@holdfast/core';
import { type FaultId } from '@holdfast/core/backend';
import { redactText } from 'holdfast/internal';
import { median } from '../../check/index.ts';
import { evidenceOf, takeoverMs } from '../../compare/evidence.ts';
import type { RunHead } from '../../compare/format-safety.ts';
import { inapplicableCell, judgeComparedCell } from '../../compare/judge-compared-cell.ts';
import type { Cell, Figure, ReportRow } from '../../compare/report.ts';
import type { ComparisonRunner } from '../../compare/run-comparison.ts';
import type { Column } from '../../draw/index.ts';
import { isControl } from '../../locks/index.ts';
import { type Client, Clients } from '../../real/index.ts';
import { NONE } from '../../simulator/index.ts';
import { NO_LOCK, opener } from '../clients/open-locks-of.ts';
import { type ComparedColumn, comparedColumns } from './compared-columns.ts';
import type { ComparedServer } from './compared-server.ts';
import { figuresOf } from './figures.ts';
import {
  type FaultTrialContext,
  PLAYABLE_FAULTS,
  runFault,
  TAKEOVER_FAULT,
  type WorkloadOptions,
} from './run-fault.ts';

export interface RealServersRunnerOptions {
  readonly processes: number;
  readonly effort: WorkloadOptions;
  /** Notes on what is not compared, and why. */
  readonly notes: readonly string[];
  /** Only these faults, if named; all of them can be run here. */
  readonly faults?: readonly string[] | undefined;
  /** Only these backends and the control, if named. */
  readonly backends?: readonly string[] | undefined;
}

/** Runs a comparison on real servers with real processes. */
export class RealServersRunner implements ComparisonRunner {
  readonly head: RunHead;
  readonly #servers: readonly ComparedServer[];
  readonly #columns: readonly ComparedColumn[];
  readonly #clients: Clients;
  readonly #effort: WorkloadOptions;
  readonly #namespace: string;
  readonly #takeoversMs = new Map<string, readonly number[]>();

  private constructor(
    servers: readonly ComparedServer[],
    parts: { columns: readonly ComparedColumn[]; clients: Clients; namespace: string },
    { processes, effort, notes, faults }: RealServersRunnerOptions,
  ) {
    this.#servers = servers;
    this.#columns = parts.columns;
    this.#clients = parts.clients;
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
      columns: parts.columns.map(({ column }) => column),
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
    const columns = chosenOf(all, options.backends);
    const clients = await Clients.start({ client: opener.client, size: options.processes });
    try {
      await Promise.all(clients.clients.map((client) => openAll(client, columns)));
      return new RealServersRunner(servers, { columns, clients, namespace }, options);
    } catch (error) {
      clients.close();
      throw error;
    }
  }

  inapplicableCell({ fault }: ReportRow, column: Column): Cell | undefined {
    return inapplicableCell({ how: 'measured', fault, column: column.id });
  }

  async runCell({ fault }: ReportRow, column: Column): Promise<Cell> {
    const context = this.#trialContext(column, fault);
    const histories = await runFault(fault, context);
    if (fault === TAKEOVER_FAULT) this.#takeoversMs.set(column.id, histories.flatMap(takeoverMs));
    const evidence = evidenceOf(histories, fault, context.isLocked);
    return judgeComparedCell({ how: 'measured', fault, column: column.id }, evidence);
  }

  async figures(column: Column): Promise<readonly Figure[]> {
    const compared = this.#comparedColumn(column);
    if (compared.opening === null) return [];
    const context = this.#trialContext(column, NONE);
    const figures = await figuresOf(context, compared, this.#namespace);
    const isCrashed = this.head.rows.some(({ fault }) => fault === TAKEOVER_FAULT);
    return isCrashed ? [...figures, this.#takeover(compared)] : figures;
  }

  async close(): Promise<readonly string[]> {
    this.#clients.close();
    const left = await Promise.all(this.#servers.map((server) => this.#cleanUp(server)));
    return left.flat();
  }

  /** A failure to remove keys is noted, so that the report is not lost. */
  async #cleanUp(server: ComparedServer): Promise<readonly string[]> {
    try {
      await server.removeNamespace?.(this.#namespace);
      return [];
    } catch (error) {
      const why = redactText(error instanceof Error ? error.message : String(error));
      return [
        `Keys that begin with ${this.#namespace} are left at ${server.description}, on Redis for a day: ${why}.`,
      ];
    } finally {
      await server.close();
    }
  }

  #takeover({ column, processes, ttlMs }: ComparedColumn): Figure {
    const takeovers = this.#takeoversMs.get(column.id) ?? [];
    return {
      metric: 'takeover-ms',
      column: column.id,
      value: median(takeovers),
      how: 'measured',
      by: `median, ttl ${ttlMs} ms`,
      samples: takeovers.length,
      ...(processes === 'one' ? { reason: 'its locks die with its one process' } : {}),
    };
  }

  /** Every column gets the same number of clients, whatever the number of processes. */
  #trialContext(column: Column, fault: FaultId): FaultTrialContext {
    const { clients } = this.#clients;
    const { processes, ttlMs, slackMs = 0 } = this.#comparedColumn(column);
    const alone = processes === 'one';
    const waiters = alone ? this.#effort.waiters * clients.length : this.#effort.waiters;
    const repetitions = fault === NONE ? 1 : this.#effort.trials;
    const keys = Array.from(
      { length: repetitions },
      (_, n) => `${this.#namespace}/${column.id}/${fault}/${n + 1}`,
    );
    return {
      allClients: this.#clients,
      open: (client) => openAll(client, this.#columns),
      column: column.id,
      isLocked: !isControl(column.id),
      working: alone ? clients.slice(0, 1) : [...clients],
      keys,
      effort: { ...this.#effort, waiters, ttlMs: ttlMs + slackMs },
    };
  }

  #comparedColumn(column: Column): ComparedColumn {
    const compared = this.#columns.find((each) => each.column.id === column.id);
    if (compared === undefined) throw new Error(`unknown column ${column.id}`);
    return compared;
  }
}

async function openAll(client: Client, columns: readonly ComparedColumn[]): Promise<void> {
  const open = ({ column, opening }: ComparedColumn): Promise<unknown> =>
    client.run({ kind: 'open', locks: column.id, opening: opening ?? NO_LOCK });
  await Promise.all(columns.map(open));
}

/**
 * Returns the control and the requested columns.
 * @throws ConfigError for a backend that is not on these servers
 */
function chosenOf(
  all: readonly ComparedColumn[],
  backends: readonly string[] | undefined,
): readonly ComparedColumn[] {
  if (backends === undefined) return all;
  const known = all.map(({ column }) => column.backend);
  const missing = backends.find((backend) => !known.includes(backend));
  if (missing !== undefined)
    throw new ConfigError(
      `${missing} cannot be compared on these servers; use ${[...new Set(known)].join(', ')}`,
    );
  return all.filter(({ column, opening }) => opening === null || backends.includes(column.backend));
}
