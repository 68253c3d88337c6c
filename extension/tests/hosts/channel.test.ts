import { describe, expect, it, vi } from 'vitest';
import { type Comm, openChannel } from '../../src/hosts/widget/channel.js';

interface Sent {
  onnxlab: string;
  id: string;
  buffers: ArrayBuffer[];
}

/** The kernel's end: notes what is asked, and answers by hand. */
function kernel() {
  const listeners = new Set<(message: unknown, buffers: DataView[]) => void>();
  const sent: Sent[] = [];
  const comm: Comm = {
    on: (_event, callback) => void listeners.add(callback),
    off: (_event, callback) => void listeners.delete(callback),
    send: (content, _callbacks, buffers = []) => {
      sent.push({ ...(content as Sent), buffers });
    },
  };
  const say = (message: unknown, ...bytes: number[][]) => {
    const views = bytes.map((part) => {
      const padded = new Uint8Array([0, ...part]); // buffers arrive at any offset
      return new DataView(padded.buffer, 1, part.length);
    });
    for (const listener of [...listeners]) listener(message, views);
  };
  const idOf = (position: number) => sent[position]?.id;
  return { comm, sent, say, idOf, listeners };
}

describe('channel', () => {
  it('gives each answer to the one who asked', async () => {
    const { comm, sent, say, idOf } = kernel();
    const channel = openChannel(comm);
    const [first, second] = [channel.ask('core'), channel.ask('document')];
    expect(sent.map((message) => message.onnxlab)).toEqual(['core', 'document']);
    say({ id: idOf(1) }, [2]);
    say({ id: 'of another page' }, [9]);
    say({ id: idOf(0) }, [1], [3, 4]);
    expect(await first).toEqual([new Uint8Array([1]), new Uint8Array([3, 4])]);
    expect(await second).toEqual([new Uint8Array([2])]);
  });

  it('says so where the kernel is gone', async () => {
    const { comm } = kernel();
    const dead: Comm = {
      ...comm,
      send: () => {
        throw new Error('Cannot send');
      },
    };
    await expect(openChannel(dead).ask('document')).rejects.toThrow('run the cell again');
  });

  it('sends a body without what lies beside it in memory', () => {
    const { comm, sent } = kernel();
    const body = new Uint8Array([0, 1, 2, 3]).subarray(1, 3);
    void openChannel(comm).ask('request', { body });
    expect(sent[0]?.buffers.map((buffer) => [...new Uint8Array(buffer)])).toEqual([[1, 2]]);
  });

  it('rejects with the line of the kernel', async () => {
    const { comm, say, idOf } = kernel();
    const asked = openChannel(comm).ask('document');
    say({ id: idOf(0), error: 'FileChanged: model.onnx changed' });
    await expect(asked).rejects.toThrow('model.onnx changed');
  });

  it('rejects when the caller gives up, and ignores a late answer', async () => {
    const { comm, say, idOf } = kernel();
    const giveUp = new AbortController();
    const asked = openChannel(comm).ask('request', { signal: giveUp.signal });
    giveUp.abort(new Error('not needed'));
    await expect(asked).rejects.toThrow('not needed');
    say({ id: idOf(0) }, [1]);
  });

  it('rejects what is open when it is closed, and listens no more', async () => {
    const { comm, listeners } = kernel();
    const channel = openChannel(comm);
    const rejected = vi.fn();
    const asked = channel.ask('core').catch(rejected);
    channel.dispose();
    await asked;
    expect(rejected).toHaveBeenCalled();
    expect(listeners.size).toBe(0);
  });
});
