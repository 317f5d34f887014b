import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { PrismaClient, PrismaTransaction } from '@holdfast/guard';
import { runChecked } from '../../../support/run.ts';
import { root } from '../../../support/source-file.ts';

const VERSION = '7.10.0';
const PACKAGES = ['prisma', '@prisma/client', '@prisma/adapter-pg'];
const FOLDER = join(root, 'out', `prisma-${VERSION}`);
const SCHEMA = `generator client {
  provider = "prisma-client-js"
  output = "./generated"
}
datasource db {
  provider = "postgresql"
}
model Stock {
  id String @id
  n Int
  @@map("stock")
}
`;
/** No engine is downloaded: a generator needs none. */
const ENV = { CHECKPOINT_DISABLE: '1', PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };

/** A real client of Prisma, with its generated model. */
export interface Prisma extends PrismaClient<PrismaTransaction> {
  $disconnect(): Promise<void>;
}

/** Opens a real client. Prisma takes 306 MB, so nothing installs it but this, once, into `out/`. */
export async function openPrisma(connectionString: string): Promise<Prisma> {
  if (!existsSync(FOLDER)) await install();
  const load = createRequire(join(FOLDER, 'package.json'));
  const { PrismaClient: Client } = load('./generated');
  const { PrismaPg } = load('@prisma/adapter-pg');
  return new Client({ adapter: new PrismaPg({ connectionString }) });
}

async function install(): Promise<void> {
  const draft = `${FOLDER}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, 'package.json'), '{ "private": true }');
  writeFileSync(join(draft, 'schema.prisma'), SCHEMA);
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const wanted = PACKAGES.map((name) => `${name}@${VERSION}`);
  await runChecked('npm', ['install', ...quiet, ...wanted], { cwd: draft });
  const generate = ['prisma', 'generate', '--schema', 'schema.prisma'];
  await runChecked('npx', generate, { cwd: draft, env: ENV });
  renameSync(draft, FOLDER);
}
