import { PostgresServer } from '@holdfast/harness/real';
import { migration } from '@holdfast/postgres';
import { type Section, section } from '../section.ts';
import { measureTurns, type TurnsResult } from './measure.ts';
import { turnsText } from './turns-text.ts';

const ROUNDS = 3;
const INSIDE_MS = [10, 100];

/** Permits beside as many exclusive locks, on PostgreSQL. */
export const familyOnPostgres: Section = section<readonly TurnsResult[]>({
  name: 'family-postgres',
  async measure({ tell, rounds }) {
    const turns: TurnsResult[] = [];
    for (const insideMs of INSIDE_MS)
      turns.push(
        ...(await measureTurns(
          { kinds: ['permits', 'keys'], insideMs, rounds: Math.min(rounds, ROUNDS), start },
          tell,
        )),
      );
    return turns;
  },
  text: turnsText,
});

async function start(): Promise<PostgresServer> {
  const server = await PostgresServer.start();
  await server.sql(migration());
  return server;
}
