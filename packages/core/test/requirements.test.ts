import { CapabilityError, ConfigError, LockError, type NamedRequirement } from '@holdfast/core';
import { type Capabilities, createHost } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { createLocks } from '../src/locks.ts';
import { Bench, rejection } from './support/bench.ts';
import { granted, grantedFixed, late } from './support/fake-backend.ts';

test.each<{
  requirement: NamedRequirement;
  met: Partial<Capabilities>;
  unmet: Partial<Capabilities>;
}>([
  { requirement: 'fencing', met: { fencing: 'best-effort' }, unmet: { fencing: 'none' } },
  { requirement: 'strict-fencing', met: { fencing: 'strict' }, unmet: { fencing: 'best-effort' } },
  { requirement: 'per-call-ttl', met: { lease: 'per-call-ttl' }, unmet: { lease: 'session' } },
  { requirement: 'fifo', met: { queue: 'fifo' }, unmet: { queue: 'none' } },
  { requirement: 'cp', met: { consistency: 'cp' }, unmet: { consistency: 'ap' } },
])('$requirement is checked when locks are made', ({ requirement, met, unmet }) => {
  const make = (capabilities: Partial<Capabilities>): unknown =>
    createLocks(new Bench().fake({ capabilities }).backend, createHost(), {
      require: [requirement],
    });

  expect(() => make(met)).not.toThrow();
  expect(() => make(unmet)).toThrow(CapabilityError);
  expect(() => make(unmet)).toThrow(`fake does not give what the code requires: ${requirement}`);
});

function evicting(evicts: string | false | undefined): unknown {
  const backend = Object.assign(new Bench().fake().backend, { evicts });
  return createLocks(backend, createHost(), { require: ['no-eviction'] });
}

test('an eviction is told by the store, with the reason', () => {
  expect(() => evicting(false)).not.toThrow();
  expect(() => evicting('n:1 may drop locks')).toThrow(
    /requires: no-eviction \(n:1 may drop locks\)$/,
  );
  expect(() => evicting(undefined)).toThrow(/requires: no-eviction \(it cannot tell\)$/);
});

test.each(['shared', 'permits'] as const)(
  'a backend that can have no %s holds says why, if it knows',
  (requirement) => {
    const make = (capabilities: Partial<Capabilities>): unknown =>
      createLocks(new Bench().fake({ capabilities }).backend, createHost(), {
        require: [requirement],
      });

    expect(() => make({ modes: [requirement] })).not.toThrow();
    expect(() => make({})).toThrow(new RegExp(`requires: ${requirement}$`));
    const exclusiveSince = 'its servers count apart';
    expect(() => make({ exclusiveSince })).toThrow(`${requirement} (${exclusiveSince})`);
  },
);

function surviving(survives: readonly string[] | undefined): unknown {
  const { backend } = new Bench().fake({ capabilities: { survives } });
  return createLocks(backend, createHost(), { require: [{ survives: 'failover' }] });
}

test('survival of a fault is checked against what the backend survives, and the error lists that', () => {
  expect(() => surviving(['pause', 'failover'])).not.toThrow();
  expect(() => surviving(['pause', 'delay'])).toThrow(CapabilityError);
  expect(() => surviving(['pause', 'delay'])).toThrow(
    /requires: survives failover\. It survives pause, delay$/,
  );
  expect(() => surviving(undefined)).toThrow(/It survives no fault that is known$/);
});

test.each([{ survive: 'pause' }, { survives: 1 }, { survives: 'pause', of: 'zk' }, null, {}])(
  '%j is no requirement',
  (wrong) => {
    const { backend } = new Bench().fake();

    // @ts-expect-error -- what JavaScript may pass
    const make = (): unknown => createLocks(backend, createHost(), { require: [wrong] });

    expect(make).toThrow(ConfigError);
  },
);

test('all that is unmet is named at once', () => {
  const { backend } = new Bench().fake({ capabilities: { fencing: 'none', queue: 'none' } });

  expect(() => createLocks(backend, createHost(), { require: ['fencing', 'cp', 'fifo'] })).toThrow(
    /requires: fencing, fifo$/,
  );
});

test('an unknown requirement is a ConfigError that lists the known ones', () => {
  const { backend } = new Bench().fake();

  // @ts-expect-error -- misspelt
  const make = (): unknown => createLocks(backend, createHost(), { require: ['fenced'] });
  expect(make).toThrow(ConfigError);
  expect(make).toThrow(/'fenced'.*strict-fencing/);
});

test.each(['fencing', 'strict-fencing'] as const)(
  'under %s a grant without a token is released and rejected',
  async (requirement) => {
    const bench = new Bench();
    const { locks, backend } = bench.fake(
      { attempts: [granted({ fencingToken: undefined })] },
      { require: [requirement] },
    );

    await bench.run(async () => {
      const error = await rejection(locks.acquire('k'));

      expect(error).toBeInstanceOf(LockError);
      expect(error).toMatchObject({ code: 'NO_TOKEN', key: 'k', backend: 'fake' });
      expect(backend.times('release')).toHaveLength(1);
    });
  },
);

test('without a requirement a grant without a token is fine', async () => {
  const bench = new Bench();
  const { locks } = bench.fake({ attempts: [granted({ fencingToken: undefined })] });

  await bench.run(async () => {
    expect((await locks.acquire('k')).fencingToken).toBeUndefined();
  });
});

test('a ttl per call on a session backend is refused, and not ignored', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake({ capabilities: { lease: 'session' } });

  await bench.run(async () => {
    expect(await rejection(locks.acquire('k', { ttlMs: 5_000 }))).toBeInstanceOf(CapabilityError);
    expect(await rejection(locks.tryUse('k', () => 1, { ttlMs: 5_000 }))).toBeInstanceOf(
      CapabilityError,
    );
    expect(() => locks.for('k', { ttlMs: 5_000 })).toThrow(CapabilityError);
    expect(() => createLocks(backend, createHost(), { ttlMs: 5_000 })).toThrow(CapabilityError);
    expect(backend.calls).toEqual([]);
  });
});

test('one attempt on a session backend, or where leases cannot be renewed, needs no more than a grant', async () => {
  for (const plan of [
    { capabilities: { lease: 'session' } },
    { attempts: [grantedFixed()] },
  ] as const) {
    const bench = new Bench();
    const { locks } = bench.fake(plan);

    await bench.run(async () => {
      expect((await locks.tryAcquire('k'))?.state).toBe('held');
    });
  }
});

test('a grant that does not meet the request is released before the caller is rejected', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake(
    {
      attempts: [granted({ fencingToken: undefined })],
      releases: [late(50, { kind: 'released' })],
    },
    { require: ['fencing'] },
  );

  await bench.run(async () => {
    expect(await rejection(locks.acquire('k'))).toMatchObject({ code: 'NO_TOKEN' });
    expect(process.nowMs).toBe(50);
  });
});

test('what a backend cannot do is a CapabilityError', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();

  await bench.run(async () => {
    for (const call of [locks.inspect('k'), locks.forceRelease('k'), locks.health()]) {
      expect(await rejection(call)).toBeInstanceOf(CapabilityError);
    }
  });
});

test('what a backend cannot do is refused by an error that names key and backend', async () => {
  const bench = new Bench();
  const { locks } = bench.fake({ capabilities: { lease: 'session' } });
  const where = { key: 'orders/42', backend: 'fake' };

  await bench.run(async () => {
    await expect(locks.inspect('orders/42')).rejects.toMatchObject(where);
    await expect(locks.forceRelease('orders/42')).rejects.toMatchObject(where);
    expect(() => locks.for('orders/42', { ttlMs: 5_000 })).toThrow(
      expect.objectContaining({ ...where, code: new CapabilityError('').code }),
    );
  });
});
