import { availableParallelism } from 'node:os';
import { delimiter } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BUILT, built } from './test/support/built.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/** Resolves workspace packages to their TypeScript source, so that tests need no build. */
const resolve = { conditions: ['@holdfast/source', 'node', 'import', 'default'] };
/**
 * Millions of schedules are short-lived: with a young generation of the default size, scanning it takes a tenth of the time.
 * Threads that help to collect would take turns with the other worker. Objects that are made in the old space keep whole runs.
 */
const execArgv = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--single-threaded-gc',
  '--no-allocation-site-pretenuring',
];
/** Against hanging, not a measure: of one machine that others share a test may get very little. */
const LIMITS = { testTimeout: 240_000, hookTimeout: 240_000 };
const SERVER_WORKERS = Math.ceil(1.5 * availableParallelism());
/** More redis-servers or valkey-servers for the parity tests: paths, separated as on PATH. */
const MORE_SERVERS = (process.env['HOLDFAST_REDIS_SERVERS'] ?? '').split(delimiter).filter(Boolean);
const fromSource: ViteUserConfig = { resolve, ssr: { resolve } };

const config: ViteUserConfig = defineConfig({
  test: {
    // Tests that play schedules compute and never wait: vitest's default would leave one of two cores idle.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    expect: { poll: { timeout: 20_000, interval: 20 } },
    reporters: ['default', './test/support/closing-line.ts'],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts', 'harness/src/**/*.ts'],
      reporter: ['text', 'json-summary'],
      reportsDirectory: 'reports/coverage',
    },
    projects: [
      {
        extends: true,
        ...fromSource,
        test: {
          name: 'unit',
          isolate: false,
          include: ['packages/*/test/**/*.test.ts'],
          exclude: ['packages/*/test/{properties,servers}/**'],
          ...LIMITS,
        },
      },
      {
        extends: true,
        plugins: [built()],
        test: {
          // Tests that play schedules by the thousand, and tests that look at all packages at once, which would compile every
          // source. One project: its workers keep the code that they have optimised, and a second one would begin cold.
          name: 'properties',
          isolate: false,
          execArgv,
          server: { deps: { external: [BUILT] } },
          globalSetup: './test/support/build.ts',
          include: [
            'packages/*/test/properties/**/*.test.ts',
            'harness/test/**/*.test.ts',
            'test/*.test.ts',
            'test/{properties,matrix,stories,broken,campaign,mutation,peers}/**/*.test.ts',
            'test/contract/simulated*.test.ts',
          ],
          exclude: ['harness/test/{servers,deep}/**', 'test/{examples,markdown-code}.test.ts'],
          ...LIMITS,
        },
      },
      {
        extends: true,
        plugins: [built()],
        test: {
          name: 'servers',
          isolate: false,
          server: { deps: { external: [BUILT] } },
          globalSetup: './test/support/zookeeper-archive.ts',
          include: [
            '{packages/*,harness}/test/servers/**/*.test.ts',
            'test/{servers,parity}/**/*.test.ts',
            'test/contract/on-servers*.test.ts',
            'test/examples.test.ts',
          ],
          // These wait for servers, and for leases to end, more than they compute.
          maxWorkers: SERVER_WORKERS,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      ...MORE_SERVERS.map((REDIS_SERVER, at) => ({
        extends: true as const,
        plugins: [built()],
        test: {
          name: `servers-${at + 2}`,
          env: { REDIS_SERVER },
          isolate: false,
          server: { deps: { external: [BUILT] } },
          globalSetup: './test/support/build.ts',
          include: ['test/parity/redis-*.test.ts'],
          maxWorkers: SERVER_WORKERS,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      })),
      {
        extends: true,
        plugins: [built()],
        test: {
          name: 'browser',
          isolate: false,
          server: { deps: { external: [BUILT] } },
          globalSetup: './test/support/build.ts',
          include: ['test/browser/**/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          ...LIMITS,
        },
      },
      {
        extends: true,
        ...fromSource,
        test: {
          name: 'packing',
          globalSetup: './test/packing/setup.ts',
          include: ['test/packing/**/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          ...LIMITS,
        },
      },
      {
        extends: true,
        test: {
          // Pages that are generated from what the compiler emits, or hold code that it checks.
          name: 'api',
          globalSetup: './test/support/build.ts',
          include: ['test/api/**/*.test.ts', 'test/markdown-code.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          ...LIMITS,
        },
      },
      {
        extends: true,
        plugins: [built()],
        test: {
          name: 'deep',
          execArgv,
          server: { deps: { external: [BUILT] } },
          globalSetup: './test/support/build.ts',
          include: ['{harness/,}test/deep/*.test.ts'],
          sequence: { groupOrder: 3 },
          testTimeout: 600_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        plugins: [built()],
        test: {
          // Measurements on real servers: one file at a time, each with the machine to itself.
          name: 'deep-servers',
          server: { deps: { external: [BUILT] } },
          globalSetup: './test/support/build.ts',
          include: ['{harness/,}test/deep/servers/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
          testTimeout: 600_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});

export default config;
