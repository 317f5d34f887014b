import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findZooKeeper, ZooKeeperServer } from '../../harness/test/kit/real-servers.ts';

const ARCHIVE = fileURLToPath(new URL('../../reports/zookeeper.jsa', import.meta.url));
const LOOK_MS = 20;
/** The `java` command reads its options from here. */
const OPTIONS = 'JDK_JAVA_OPTIONS';
/** Of a server that lives for seconds most code runs too seldom to be worth compiling. */
const COMPILES_LATE = [
  '-XX:Tier3InvocationThreshold=2000',
  '-XX:Tier3MinInvocationThreshold=1000',
  '-XX:Tier3CompileThreshold=10000',
].join(' ');

/**
 * Lets each ZooKeeper of the tests load its classes from an archive: they start some 150, and one start takes a third
 * less CPU. Java ignores an archive that is missing or of another version.
 */
export async function setup(): Promise<void> {
  if (findZooKeeper() === undefined) return;
  if (!existsSync(ARCHIVE)) await writeArchive();
  process.env[OPTIONS] =
    `${process.env[OPTIONS] ?? ''} -XX:SharedArchiveFile=${ARCHIVE} ${COMPILES_LATE}`.trim();
}

/** Java writes it when a server is stopped. */
async function writeArchive(): Promise<void> {
  mkdirSync(dirname(ARCHIVE), { recursive: true });
  const through = ['env', `${OPTIONS}=-XX:ArchiveClassesAtExit=${ARCHIVE} -Xlog:cds=off`];
  const server = await ZooKeeperServer.start({ through });
  if (server.pid !== undefined) process.kill(server.pid, 'SIGTERM');
  while (server.pid !== undefined) await sleep(LOOK_MS);
  await server.close();
}
