import { describe, expect, it } from 'vitest';
import { ask, staticTransport, type Transport } from '../../src/core/transport.js';
import type { NodeDetail } from '../../src/core/wire.gen.js';

const detail: NodeDetail = {
  type: 'node',
  node: 3,
  address: '3',
  attributes: [],
  doc: '',
  metadata: [],
  schema_doc: '',
};

describe('asking', () => {
  it('gives the answer', async () => {
    expect(await ask(staticTransport([detail]), { type: 'node', node: 3 })).toBe(detail);
  });

  it('turns a failure into an error with its line', async () => {
    await expect(ask(staticTransport([]), { type: 'node', node: 3 })).rejects.toThrow(
      /does not hold/,
    );
  });

  it('ends after its time and tells the other side to stop', async () => {
    let seen: AbortSignal | undefined;
    const silent: Transport = {
      request: (_, signal) => {
        seen = signal;
        return new Promise(() => {});
      },
    };
    await expect(ask(silent, { type: 'shapes' }, undefined, 5)).rejects.toThrow(/No answer within/);
    expect(seen?.aborted).toBe(true);
  });

  it('passes a cancel on', async () => {
    const stop = new AbortController();
    const obedient: Transport = {
      request: (_, signal) =>
        new Promise((_, reject) =>
          signal?.addEventListener('abort', () => reject(new Error('stopped'))),
        ),
    };
    const asking = ask(obedient, { type: 'shapes' }, stop.signal);
    stop.abort();
    await expect(asking).rejects.toThrow('stopped');
  });
});
