import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { run } from '../support/run.ts';
import { root } from '../support/source-file.ts';

interface Container {
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: {
    readonly completions?: number;
    readonly parallelism?: number;
    readonly completionMode?: string;
    readonly backoffLimitPerIndex?: number;
    readonly template?: {
      readonly spec: {
        readonly restartPolicy: string;
        readonly securityContext: { readonly runAsNonRoot: boolean };
        readonly containers: readonly Container[];
      };
    };
  };
}

const text = (path: string): string => readFileSync(join(root, 'examples/fleet', path), 'utf8');
const manifests: readonly Manifest[] = parseAllDocuments(text('kubernetes.yaml')).map((document) =>
  document.toJS(),
);
const [, search, merge] = manifests;
const SHARDS = 3;
const reports = mkdtempSync(join(tmpdir(), 'holdfast-fleet-'));
afterAll(() => rmSync(reports, { recursive: true }));

const SMALL = 'compare --budget 64 --backends redis-simple --faults none';
const env = {
  ...process.env,
  PATH: [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
  REPORTS: reports,
  SHARDS: `${SHARDS}`,
  SEARCH: SMALL,
  WAIT_S: '1',
};

function commandOf(manifest: Manifest | undefined): readonly string[] {
  return manifest?.spec.template?.spec.containers[0]?.command ?? [];
}

function shard(index: number): ReturnType<typeof run> {
  const [command = '', ...args] = commandOf(search);
  return run(command, args, { env: { ...env, JOB_COMPLETION_INDEX: `${index}` } });
}

function merged(): ReturnType<typeof run> {
  const [command = '', ...args] = commandOf(merge);
  return run(command, args, { env, cwd: reports });
}

test('the jobs are indexed, retried, and not those of root; their numbers agree', () => {
  expect(manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
    'v1 PersistentVolumeClaim',
    'batch/v1 Job',
    'batch/v1 Job',
  ]);
  const { completions, parallelism, completionMode, backoffLimitPerIndex } = search?.spec ?? {};
  expect([completions, parallelism, completionMode, backoffLimitPerIndex]).toEqual([
    8,
    8,
    'Indexed',
    3,
  ]);
  for (const job of [search, merge]) {
    const pod = job?.spec.template?.spec;
    expect(pod).toMatchObject({ restartPolicy: 'Never', securityContext: { runAsNonRoot: true } });
    expect(pod?.containers[0]?.env).toContainEqual({ name: 'SHARDS', value: '8' });
  }
});

test('the workflow has one runner for each shard, and merges also if one has died', () => {
  const { jobs } = parse(text('github-actions.yml'));
  const shards: readonly number[] = jobs.shard.strategy.matrix.shard;

  expect(shards).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(jobs.shard.strategy['fail-fast']).toBe(false);
  expect(JSON.stringify(jobs.shard.steps)).toContain(`}}/${shards.length} --out reports`);
  expect(jobs.merge).toMatchObject({ needs: 'shard', if: '${{ !cancelled() }}' });
});

test('a shard that is killed is missing in the merge, and there once it was run again', async () => {
  await Promise.all([shard(0), shard(2)]);
  const [command = '', ...args] = commandOf(search);
  const killed = spawn(command, args, {
    env: { ...env, JOB_COMPLETION_INDEX: '1' },
    detached: true,
    stdio: 'ignore',
  });
  await vi.waitFor(() => expect(killed.pid).toBeDefined());
  process.kill(-(killed.pid ?? 0), 'SIGKILL');

  const without = await merged();
  expect(without.code).toBe(1);
  expect(without.output).toMatch(/INCOMPLETE: 2 of 3 shards, without 2/);
  const files = readdirSync(reports).filter((name) => name.startsWith('shard-'));
  expect(files).toHaveLength(2);

  expect(await shard(1)).toMatchObject({ code: 0 });
  expect(await merged()).toMatchObject({ code: 0 });
}, 300_000);
