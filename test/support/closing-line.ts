import { renameSync, writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

/** Counts a module's tests; one that could not be loaded or threw outside its tests is a failure of its own. */
function add(count: Count, module: TestModule): void {
  for (const test of module.children.allTests()) {
    const state = test.result().state;
    // A test still pending when the run ends was cut off, which nobody may take for a pass.
    count[state === 'pending' ? 'failed' : state]++;
  }
  if (module.errors().length > 0) count.failed++;
}

/**
 * Ends the run with one plain line, e.g. `41 passed, 0 failed`. Under scripts/verify.mjs it says nothing and keeps the
 * counts, after every module, in the file that HOLDFAST_COUNTS names; verify adds them up and prints the line.
 */
export default class ClosingLine implements Reporter {
  readonly #file: string | undefined = process.env['HOLDFAST_COUNTS'];
  readonly #soFar: Count = { passed: 0, failed: 0, skipped: 0 };

  onTestModuleEnd(module: TestModule): void {
    add(this.#soFar, module);
    this.#keep(this.#soFar);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count: Count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
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
