import { HoldfastModule, Locks } from '@holdfast/nestjs';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { expect, test } from 'vitest';

/** Nest would abort the process, and all tests with it. */
const QUIET = { logger: false, abortOnError: false } as const;

class StoreUrl {
  readonly url: string = 'memory:';
}

@Module({ providers: [StoreUrl], exports: [StoreUrl] })
class StoreModule {}

test('a factory makes the options of what is injected', async () => {
  @Module({
    imports: [
      HoldfastModule.forRootAsync({
        imports: [StoreModule],
        inject: [StoreUrl],
        useFactory: async ({ url }: StoreUrl) => ({ source: url }),
      }),
    ],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, QUIET);

  expect(app.get(Locks).backend).toBe('memory');
  await app.close();
  await expect(app.get(Locks).acquire('k')).rejects.toMatchObject({ code: 'CLOSED' });
});

test('an app does not start with a wrong configuration', async () => {
  @Module({ imports: [HoldfastModule.forRoot({ source: 'rediss:/' })] })
  class App {}
  const start = NestFactory.createApplicationContext(App, QUIET);

  await expect(start).rejects.toMatchObject({ code: 'CONFIG' });
});
