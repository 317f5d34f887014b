import { HoldfastModule, Locks } from '@holdfast/nestjs';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { expect, test } from 'vitest';

/** Nest would abort the process, and all tests with it. */
const QUIET = { logger: false, abortOnError: false } as const;

class Place {
  readonly url: string = 'memory:';
}

@Module({ providers: [Place], exports: [Place] })
class Places {}

test('a factory makes the options of what is injected', async () => {
  @Module({
    imports: [
      HoldfastModule.forRootAsync({
        imports: [Places],
        inject: [Place],
        useFactory: async ({ url }: Place) => ({ source: url }),
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
