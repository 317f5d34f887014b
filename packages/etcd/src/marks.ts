import { BackendUnavailableError } from '@holdfast/core';
import type { Marks } from '@holdfast/core/backend';
import { failureOf, messageOf } from './failures.ts';
import { NAME } from './identity.ts';
import { type Layout, markKeyOf } from './keys.ts';
import type { ReadOp, TxnReply } from './port.ts';
import type { Requests } from './requests.ts';

/** The marks of one namespace: keys without a lease, each written once. */
export function etcdMarks(requests: Requests, layout: Layout): Marks {
  return {
    async read(name, deadlineMs) {
      const read = readOf(markKeyOf(layout, name));
      const reply = requests.txn({ compare: [], success: [read], failure: [] }, deadlineMs);
      return valueIn(await reply.catch((cause: unknown) => failed(cause, layout)));
    },
    async write(name, value, deadlineMs) {
      const key = markKeyOf(layout, name);
      const reply = requests.txn(
        {
          compare: [{ key, target: 'create', revision: 0n }],
          success: [{ kind: 'put', key, value }],
          failure: [readOf(key)],
        },
        deadlineMs,
      );
      return valueIn(await reply.catch((cause: unknown) => failed(cause, layout))) ?? value;
    },
  };
}

function valueIn({ reads }: TxnReply): string | undefined {
  return reads.flatMap((keys) => keys.map(({ value }) => value)).at(-1);
}

function readOf(key: string): ReadOp {
  return { kind: 'read', key };
}

function failed(cause: unknown, { marks }: Layout): never {
  const failure = failureOf(cause, marks);
  if (failure.kind === 'refused') throw failure.error;
  const message = `${NAME}: no reply about a mark below ${marks}: ${messageOf(cause)}`;
  throw new BackendUnavailableError(message, { backend: NAME, cause });
}
