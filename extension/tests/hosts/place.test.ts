// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from 'vitest';
import type { Comm } from '../../src/hosts/widget/channel.js';
import { openPlace } from '../../src/hosts/widget/place.js';

const comm: Comm = { on: vi.fn(), off: vi.fn(), send: vi.fn() };
const turn = () => new Promise((resolve) => setTimeout(resolve));
let parent: HTMLElement;

beforeEach(() => {
  parent = document.createElement('div');
});

it('draws what was fetched, and takes it away', async () => {
  const remove = vi.fn();
  const draw = vi.fn().mockReturnValue(remove);
  const place = openPlace(comm, parent, { fetch: async () => 'a model', draw });
  await turn();
  expect(draw).toHaveBeenCalledWith(place.element, 'a model', expect.anything());
  place.close();
  expect(remove).toHaveBeenCalledOnce();
});

it('says what failed, with another try', async () => {
  const fetch = vi.fn().mockRejectedValueOnce(new Error('the kernel died')).mockResolvedValue(1);
  const draw = vi.fn().mockReturnValue(() => undefined);
  openPlace(comm, parent, { fetch, draw });
  await turn();
  expect(parent.textContent).toContain('the kernel died');
  parent.querySelector('button')?.click();
  await turn();
  expect(draw).toHaveBeenCalledOnce();
  expect(parent.textContent).toBe('');
});

it('draws nothing after it was closed', async () => {
  const draw = vi.fn();
  const place = openPlace(comm, parent, { fetch: async () => 1, draw });
  place.close();
  await turn();
  expect(draw).not.toHaveBeenCalled();
});
