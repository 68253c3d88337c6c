import { describe, expect, it, vi } from 'vitest';
import type { Channel } from '../../src/hosts/widget/channel.js';
import { loadCore } from '../../src/hosts/widget/once.js';

describe('core', () => {
  it('is asked for again after a failure', async () => {
    const ask = vi.fn().mockRejectedValue(new Error('the kernel died'));
    const channel: Channel = { ask, dispose: () => undefined };
    await expect(loadCore('hash', channel)).rejects.toThrow('the kernel died');
    await expect(loadCore('hash', channel)).rejects.toThrow('the kernel died');
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it('is asked for once by cells that start together', () => {
    const ask = vi.fn().mockReturnValue(new Promise(() => undefined));
    const channel: Channel = { ask, dispose: () => undefined };
    expect(loadCore('other', channel)).toBe(loadCore('other', channel));
    expect(ask).toHaveBeenCalledTimes(1);
  });
});
