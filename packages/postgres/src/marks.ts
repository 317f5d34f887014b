import { BackendUnavailableError } from '@holdfast/core';
import type { Marks } from '@holdfast/core/backend';
import { failureOf, messageOf } from './failures.ts';
import { NAME } from './identity.ts';
import type { Argument, Statement } from './port.ts';
import type { Store } from './store.ts';

/** The marks of one namespace, a row each. */
export function postgresMarks(store: Store): Marks {
  const { database, statements, namespace } = store;

  async function call(
    statement: Statement,
    args: readonly Argument[],
    deadlineMs: number,
  ): Promise<string | undefined> {
    try {
      const { rows } = await database.run(statement, args, { deadlineMs });
      return rows[0]?.['value'] ?? undefined;
    } catch (cause) {
      const failure = failureOf(cause, '');
      if (failure.kind === 'refused') throw failure.error;
      const message = `${NAME}: no reply about a mark: ${messageOf(cause)}`;
      throw new BackendUnavailableError(message, { backend: NAME, cause });
    }
  }

  return {
    read: (name, deadlineMs) => call(statements.readMark, [namespace, name], deadlineMs),
    write: async (name, value, deadlineMs) => {
      const stored = await call(statements.writeMark, [namespace, name, value], deadlineMs);
      if (stored !== undefined) return stored;
      const message = `${NAME}: a mark that was written is not stored`;
      throw new BackendUnavailableError(message, { backend: NAME });
    },
  };
}
