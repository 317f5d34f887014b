import { renameSync, writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

interface Count {
  passed: number;
  failed: number;
  skipped: number;
  /** The duration of each module, by its path from the root. */
  readonly files: [path: string, ms: number][];
}

const NOTHING = { passed: 0, failed: 0, skipped: 0 };

/** Counts a module's tests; one that could not be loaded or threw outside its tests is a failure of its own. */
function add(count: Count, module: TestModule): void {
  for (const test of module.children.allTests()) {
    const state = test.result().state;
    // A test still pending when the run ends was cut off, which is no pass.
    count[state === 'pending' ? 'failed' : state]++;
  }
  if (module.errors().length > 0) count.failed++;
  const { collectDuration, duration } = module.diagnostic();
  count.files.push([module.relativeModuleId, Math.round(collectDuration + duration)]);
}

/**
 * Ends the run with one plain line, e.g. `41 passed, 0 failed`. Under scripts/verify.mjs it says nothing and keeps the
 * counts, after every module, in the file that HOLDFAST_COUNTS names; verify adds them up, and prints the line and the
 * slowest modules.
 */
export default class ClosingLine implements Reporter {
  readonly #file: string | undefined = process.env['HOLDFAST_COUNTS'];
  readonly #soFar: Count = { ...NOTHING, files: [] };

  onTestModuleEnd(module: TestModule): void {
    add(this.#soFar, module);
    this.#keep(this.#soFar);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count: Count = { ...NOTHING, failed: unhandledErrors.length, files: [] };
    for (const module of modules) add(count, module);
    this.#keep(count);
    if (this.#file !== undefined) return;
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`);
  }

  #keep(count: Count): void {
    if (this.#file === undefined) return;
    // Renamed into place, because verify may read at any moment.
    writeFileSync(`${this.#file}.new`, JSON.stringify(count));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
