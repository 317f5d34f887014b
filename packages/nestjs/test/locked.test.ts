import { currentLease, HoldfastModule, Locked, Locks, TryLocked } from '@holdfast/nestjs';
import { Inject, Injectable, Module, SetMetadata } from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import type { Lease } from 'holdfast';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const SESSIONS = Symbol('sessions');

interface Order {
  readonly id: number;
}

@Injectable()
class Billing {
  inside = 0;
  most = 0;
  charges: Lease[] = [];
  readonly locks: Locks;

  constructor(@Inject(Locks) locks: Locks) {
    this.locks = locks;
  }

  @Locked((order: Order) => `orders/${order.id}`)
  async charge(order: Order, rounds: number): Promise<number> {
    this.inside++;
    this.most = Math.max(this.most, this.inside);
    for (let n = 0; n < rounds; n++) await new Promise(setImmediate);
    this.charges.push(currentLease());
    this.inside--;
    return order.id;
  }

  @TryLocked('nightly')
  async report(run: () => Promise<void>): Promise<void> {
    await run();
  }

  @Locked('orders/42', { token: SESSIONS })
  async elsewhere<T>(look: () => T | Promise<T>): Promise<T> {
    return await look();
  }

  @Locked(() => '')
  async withoutKey(): Promise<void> {}

  @Locked('orders/42')
  @SetMetadata('role', 'admin')
  async noted(): Promise<void> {}

  // @ts-expect-error The key is made of an order, and the method gets none.
  @Locked((order: Order) => `orders/${order.id}`)
  async wrong(_id: string): Promise<void> {}

  // @ts-expect-error A method that may be skipped has nothing to return.
  @TryLocked('nightly')
  async wrongToo(): Promise<number> {
    return 1;
  }
}

@Module({
  imports: [
    HoldfastModule.forRoot({ source: 'memory:' }),
    HoldfastModule.forRoot({ source: 'memory:', token: SESSIONS }),
  ],
  providers: [Billing],
})
class App {}

let billing: Billing;
let other: Locks;

beforeEach(async () => {
  const app = await NestFactory.createApplicationContext(App, {
    logger: false,
    abortOnError: false,
  });
  onTestFinished(() => app.close());
  billing = app.get(Billing);
  other = app.get(SESSIONS);
});

describe('a method with @Locked', () => {
  test('is inside once for each key, with the arguments, the result and the instance of the call', async () => {
    const results = await Promise.all([1, 1, 1].map((id) => billing.charge({ id }, 3)));

    expect(results).toEqual([1, 1, 1]);
    expect(billing.most).toBe(1);

    await Promise.all([2, 3].map((id) => billing.charge({ id }, 3)));
    expect(billing.most).toBe(2);
  });

  test('has its lease at hand, with a token that grows, and each call its own', async () => {
    await Promise.all([1, 2].map((id) => billing.charge({ id }, 3)));
    await billing.charge({ id: 1 }, 0);
    const [first, second, third] = billing.charges;

    expect([first?.key, second?.key, third?.key]).toEqual(['orders/1', 'orders/2', 'orders/1']);
    expect(third?.fencingToken).toBeGreaterThan(first?.fencingToken ?? 0n);
    expect(() => currentLease()).toThrow(expect.objectContaining({ code: 'CAPABILITY' }));
  });

  test('uses the locks of its token', async () => {
    const held = await billing.locks.acquire('orders/42');
    expect(await billing.elsewhere(() => currentLease().key)).toBe('orders/42');

    await held.release();
    expect(await billing.elsewhere(() => other.tryAcquire('orders/42'))).toBeNull();
  });

  test('rejects as locks.use does', async () => {
    await expect(billing.withoutKey()).rejects.toMatchObject({ code: 'INVALID_KEY' });
  });

  test('keeps its name, and what other decorators have noted about it', () => {
    const noted: unknown = Reflect.get(billing, 'noted');

    expect(new Reflector().get('role', noted as () => void)).toBe('admin');
    expect(noted).toHaveProperty('name', 'noted');
  });

  test('of an instance that Nest did not make says so', async () => {
    const made = new Billing(billing.locks);

    await expect(made.charge({ id: 1 }, 0)).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('Billing'),
    });
  });
});

describe('a method with @TryLocked', () => {
  test('is skipped while another one runs, and passes its errors on', async () => {
    let runs = 0;
    await billing.report(async () => {
      runs++;
      await billing.report(async () => void runs++);
    });
    expect(runs).toBe(1);

    const failing = billing.report(() => Promise.reject(new Error('no paper')));
    await expect(failing).rejects.toThrow('no paper');
    await billing.report(async () => void runs++);
    expect(runs).toBe(2);
  });
});
