import { join } from 'node:path';
import { type Arguments, holdfastVersion, type Io, UsageError } from 'holdfast/internal';
import { inkFor } from '../compare/paint.ts';
import { exhaustiveJson, formatExhaustive } from '../exhaustive/format-exhaustive.ts';
import {
  type ExhaustiveRequest,
  type ExhaustiveResult,
  searchExhaustively,
} from '../exhaustive/search-exhaustively.ts';
import { loadSubject, type TargetProperty } from '../search/index.ts';
import { wholeNumber } from './number-options.ts';
import { fileFor, writeText } from './output-files.ts';
import { ExhaustiveProgress } from './progress.ts';
import { NOT_FOUND, stemOf } from './write-finding.ts';

const CLIENTS = { option: 'clients', fallback: 2, min: 2, max: 3 } as const;
/** At some hundred runs a second the default ends within about an hour for any lock. */
const BUDGET = { option: 'budget', fallback: 1_000_000, min: 1, max: 10_000_000_000 } as const;
const PROPERTIES = ['validity', 'belief', 'liveness'] as const;
/** The options that choose schedules, of which an exhaustive search has none. */
const UNSUPPORTED_OPTIONS = ['fault', 'nodes', 'seed', 'jobs', 'shard'] as const;

/** Runs `find --exhaustive`. */
export async function exhaustiveCommand(args: Arguments, io: Io): Promise<number> {
  const { flags, values } = args;
  const request = exhaustiveRequestFrom(args);
  const defaultPath = join('out', 'find', `${stemOf(request.lock)}-exhaustive.json`);
  const path = fileFor(values.get('out'), defaultPath);
  const result = await runExhaustive(request, io);
  if (result.found !== undefined)
    writeText(path, `${JSON.stringify(result.found.story, null, 2)}\n`);
  const text = flags.has('json')
    ? JSON.stringify(exhaustiveJson(result, request, holdfastVersion()), null, 2)
    : formatExhaustive(result, request, path, inkFor(io.stdout, io.env)).join('\n');
  io.stdout.write(`${text}\n`);
  return result.found === undefined ? NOT_FOUND : 0;
}

async function runExhaustive(request: ExhaustiveRequest, io: Io): Promise<ExhaustiveResult> {
  const progress = new ExhaustiveProgress(io.stderr, request.budget);
  try {
    return await searchExhaustively(
      await loadSubject(request.lock, process.cwd()),
      request,
      progress,
    );
  } finally {
    progress.end();
  }
}

/** @throws UsageError */
function exhaustiveRequestFrom({ operands, flags, values }: Arguments): ExhaustiveRequest {
  const [lock, ...more] = operands;
  if (lock === undefined || more.length > 0)
    throw new UsageError('name one lock', 'For example: holdfast find redis-simple --exhaustive');
  const unsupported = UNSUPPORTED_OPTIONS.find((option) => values.has(option));
  if (unsupported !== undefined)
    throw new UsageError(
      `--exhaustive tries every order of steps, so --${unsupported} has no effect`,
      'Leave out one of the two.',
    );
  if (flags.has('fenced'))
    throw new UsageError('--exhaustive judges the lock, not the resource', 'Leave out --fenced.');
  return {
    lock,
    clients: wholeNumber(values, CLIENTS),
    target: targetFrom(values.get('property') ?? 'validity'),
    budget: wholeNumber(values, BUDGET),
  };
}

function targetFrom(text: string): TargetProperty {
  const property = PROPERTIES.find((each) => each === text);
  if (property !== undefined) return { property, fenced: false };
  throw new UsageError(
    `unknown property "${text}" for --exhaustive`,
    `Use ${PROPERTIES.join(', ')}.`,
  );
}
