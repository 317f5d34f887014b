import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Job } from 'kubernetes-models/batch/v1';
import { PersistentVolumeClaim } from 'kubernetes-models/v1';
import { afterAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { bundle } from '../support/bundle.ts';
import { run } from '../support/run.ts';
import { root } from '../support/source-file.ts';
import type { workflowErrors as errorsOf } from './support/workflow-errors.ts';

const text = (path: string): string => readFileSync(join(root, 'examples/fleet', path), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'holdfast-schemas-'));
afterAll(() => rmSync(folder, { recursive: true }));

const KUBERNETES = text('kubernetes.yaml');
const WORKFLOW = text('github-actions.yml');

/** The kinds in use: where their types are, and their validators. */
const MODELS = {
  Job: { from: 'batch/v1', validate: (manifest: object) => new Job(manifest).validate() },
  PersistentVolumeClaim: {
    from: 'v1',
    validate: (manifest: object) => new PersistentVolumeClaim(manifest).validate(),
  },
} as const;

interface Manifest {
  readonly kind: keyof typeof MODELS;
}

function manifestsOf(yaml: string): readonly Manifest[] {
  return parseAllDocuments(yaml).map((document) => document.toJS() as Manifest);
}

/** By the JSON schemas of the Kubernetes API, which allow unknown fields. @throws Error */
function validate(yaml: string): void {
  for (const manifest of manifestsOf(yaml)) MODELS[manifest.kind].validate(manifest);
}

/** As literals of the types that are made from the same schemas: a field that is in none is an error. */
async function compile(yaml: string): Promise<string> {
  const lines = manifestsOf(yaml).map(({ kind, ...rest }, i) => {
    const type = `import('kubernetes-models/${MODELS[kind].from}').I${kind}`;
    return `export const m${i}: ${type} = ${JSON.stringify({ kind, ...rest })};`;
  });
  writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
  const paths = { '*': [join(root, 'test/node_modules/*')] };
  const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, types: [], paths };
  const module = { module: 'nodenext', target: 'es2023' };
  const config = { compilerOptions: { ...compilerOptions, ...module }, files: ['manifests.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { output } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]);
  return output;
}

interface Parser {
  readonly workflowErrors: typeof errorsOf;
}

/** Bundled, since the parser imports JSON without the attribute that Node asks for. */
const parser = await bundle('deep/support/workflow-errors.ts');
const { workflowErrors } = (await import(pathToFileURL(parser).href)) as Parser;

test('the manifests for Kubernetes are as its published schemas want them', async () => {
  expect(() => validate(KUBERNETES)).not.toThrow();
  expect(await compile(KUBERNETES)).toBe('');
});

test('a wrong type, a missing and an unknown field in a manifest are found', async () => {
  expect(() => validate(KUBERNETES.replace('completions: 8', 'completions: "8"'))).toThrow(
    'data/spec/completions must be integer',
  );
  expect(() => validate(KUBERNETES.replace('- name: shard', '- title: shard'))).toThrow(
    'must have required property name',
  );
  expect(await compile(KUBERNETES.replace('runAsUser', 'runAsUsr'))).toContain(
    `"runAsUsr"' does not exist`,
  );
  expect(await compile(KUBERNETES.replace('backoffLimitPer', 'backOffLimitPer'))).toContain(
    `"backOffLimitPerIndex"' does not exist`,
  );
});

test('the workflow is as the schema of GitHub Actions wants it', async () => {
  expect(await workflowErrors(WORKFLOW)).toEqual([]);
});

test.each([
  ['fail-fast', 'failfast', "Unexpected value 'failfast'"],
  ['needs: shard', 'needs: shards', "depends on unknown job 'shards'"],
  ['!cancelled()', '!canceled()', "Unrecognized function: 'canceled'"],
])('a workflow with %s written as %s is refused', async (right, wrong, error) => {
  expect((await workflowErrors(WORKFLOW.replace(right, wrong))).join('\n')).toContain(error);
});
