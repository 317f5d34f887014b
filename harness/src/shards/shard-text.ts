import { printable } from 'holdfast/internal';
import * as v from 'valibot';
import { plainJson } from '../foreign/plain-json.ts';
import type { CellResult } from '../matrix/index.ts';
import type { Counterexample } from '../search/index.ts';
import { ScheduleError } from '../simulator/index.ts';
import type { ShardReport } from './report.ts';
import { compareShard, findShard } from './schema.ts';
import { ShardError } from './shard.ts';

const SCHEMAS = { find: findShard, compare: compareShard } as const;
const VERSION = 1;

/** The text of a report file. */
export function textOf(report: ShardReport): string {
  const plain =
    report.kind === 'find'
      ? { ...report, hits: report.hits.map(withoutProof) }
      : { ...report, trials: report.trials.map(trialData) };
  return `${JSON.stringify(plain, null, 2)}\n`;
}

function trialData({ tally, findings }: CellResult): object {
  const plain = [...findings].map(([name, finding]) => [name, withoutProof(finding)] as const);
  return { tally, findings: Object.fromEntries(plain) };
}

/** A hit without its proof, which would double the size and can be created again from the schedule. */
function withoutProof({
  n,
  schedule,
  violation: { proof: _, ...violation },
}: Counterexample): object {
  const message = printable(violation.message);
  return { n, schedule, violation: { ...violation, message } };
}

/**
 * Reads a report strictly.
 * @param where the file name for errors
 * @throws ShardError for text that was truncated or altered, is no shard report, or has another version
 */
export function parseShard(text: string, where: string): ShardReport {
  const value = plainJson(text, (why, cause) => new ShardError(`${where} ${why}`, { cause }));
  const [format, version, kind] = ['format', 'version', 'kind'].map((name) => field(value, name));
  if (format !== 'holdfast-shard')
    throw new ShardError(`${where} is not a shard report`, {
      hint: 'Use files that find or compare wrote with --shard.',
    });
  if (version !== VERSION)
    throw new ShardError(
      `${where} is a shard report of version ${String(version)}; this release reads version ${VERSION}`,
    );
  if (kind !== 'find' && kind !== 'compare')
    throw new ShardError(`${where} is a report of neither find nor compare`);
  const report = checked(kind, value, where);
  const lack = inconsistencyOf(report);
  if (lack !== undefined) throw new ShardError(`${where}: ${lack}`);
  return report;
}

function field(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

function checked(kind: ShardReport['kind'], value: unknown, where: string): ShardReport {
  try {
    const result = v.safeParse<v.GenericSchema<unknown, ShardReport>>(SCHEMAS[kind], value);
    if (result.success) return result.output;
    const [issue] = result.issues;
    throw new ShardError(`${where}, ${v.getDotPath(issue) ?? 'the whole file'}: ${issue.message}`);
  } catch (cause) {
    if (!(cause instanceof ScheduleError)) throw cause;
    throw new ShardError(`${where} has an invalid schedule: ${cause.message}`, {
      cause,
    });
  }
}

/** Checks what the schema cannot express. */
function inconsistencyOf(report: ShardReport): string | undefined {
  const { k, of } = report.shard;
  if (k > of) return `invalid shard ${k} of ${of}`;
  if (report.kind === 'compare' && report.trials.length !== report.campaign.cells.length)
    return `${report.campaign.cells.length} cells were expected, but ${report.trials.length} were run`;
  return undefined;
}
