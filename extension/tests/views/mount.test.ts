// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { staticTransport, type Transport } from '../../src/core/transport.js';
import { type MountedView, mount } from '../../src/views/mount.js';
import { columnsOf, documentOf } from '../core/graphs.js';

const HOSTILE = '<img src=x onerror="globalThis.hacked = true">';
const MODEL = {
  inputs: ['x'],
  outputs: ['z'],
  weights: ['w'],
  nodes: [
    { op: 'Conv', name: HOSTILE, inputs: ['x', 'w'], outputs: ['y'] },
    { op: 'Relu', name: 'second', inputs: ['y'], outputs: ['z'] },
  ],
};

let view: MountedView;
let host: HTMLElement;
let texts: string[];

/** A canvas context that only takes note of the texts. */
function fakeContext(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const known: Record<string, unknown> = { canvas, fillText: (text: string) => texts.push(text) };
  return new Proxy(known, {
    get: (target, key) => target[String(key)] ?? (() => undefined),
    set: () => true,
  }) as unknown as CanvasRenderingContext2D;
}

async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function show(transport: Transport = staticTransport([])): Promise<HTMLElement> {
  view = mount(host, documentOf(columnsOf(MODEL)), transport, {});
  await settle();
  const root = host.querySelector<HTMLElement>('.onnxlab-view');
  if (!root) throw new Error('nothing was mounted');
  return root;
}

beforeEach(() => {
  texts = [];
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockImplementation(function (
    this: HTMLCanvasElement,
  ) {
    return fakeContext(this) as never;
  });
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(800);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
  host = document.createElement('div');
  document.body.append(host);
});

afterEach(() => {
  view.dispose();
  host.remove();
  vi.restoreAllMocks();
});

describe('a mounted view', () => {
  it('draws the boxes and says so', async () => {
    const root = await show();
    expect(root.dataset.ready).toBe('1');
    expect(root.dataset.boxes).toBe('4');
    expect(texts).toEqual(expect.arrayContaining(['Conv', 'Relu', 'x', 'z']));
    expect(
      view
        .boxes()
        .map((box) => box.label)
        .sort(),
    ).toEqual(['Conv', 'Relu', 'x', 'z']);
  });

  it('tells what is selected, and shows its name as text', async () => {
    const root = await show();
    const told: number[][] = [];
    root.addEventListener('onnxlab:select', (event) =>
      told.push((event as CustomEvent).detail.nodes),
    );
    view.select([0]);
    await settle();
    expect(told).toEqual([[0]]);
    expect(root.dataset.selected).toBe('0');
    expect(root.querySelector('h2')?.textContent).toContain(HOSTILE);
    expect(root.querySelector('img')).toBeNull();
  });

  it('puts a failed answer in place, with another try', async () => {
    let asked = 0;
    const root = await show({
      request: async () => {
        asked++;
        return { type: 'failure', message: 'The file changed on disk.' };
      },
    });
    view.select([1]);
    await settle();
    const place = root.querySelector('.onnxlab-tabpanel');
    expect(place?.textContent).toContain('The file changed on disk.');
    place?.querySelector<HTMLElement>('.onnxlab-warning button')?.click();
    await settle();
    expect(asked).toBe(2);
  });

  it('finds nodes and goes from match to match', async () => {
    await show();
    expect(view.search('op:relu')).toEqual({ total: 1, index: -1 });
    expect(view.step(1)).toEqual({ total: 1, index: 0 });
    expect(host.querySelector<HTMLElement>('.onnxlab-view')?.dataset.selected).toBe('1');
    expect(view.search('nothing').total).toBe(0);
    expect(view.step(1).index).toBe(-1);
  });

  it('has every node in the table, sorted as asked', async () => {
    const root = await show();
    root.querySelector<HTMLElement>('button[title^="Table"]')?.click();
    await settle();
    const ops = () =>
      [...root.querySelectorAll('.onnxlab-table tbody tr')].map(
        (row) => row.children[1]?.textContent,
      );
    expect(ops()).toEqual(['Conv', 'Relu']);
    const byOp = [...root.querySelectorAll<HTMLElement>('.onnxlab-table th button')].find(
      (b) => b.textContent === 'op',
    );
    byOp?.click();
    await settle();
    byOp?.click();
    await settle();
    expect(ops()).toEqual(['Relu', 'Conv']);
  });

  it('travels along edges by keys', async () => {
    const root = await show();
    const canvas = root.querySelector('canvas');
    const press = (key: string) =>
      canvas?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    view.select([0]);
    press('ArrowDown');
    expect(root.dataset.selected).toBe('1');
    press('ArrowUp');
    expect(root.dataset.selected).toBe('0');
    press('Escape');
    expect(root.dataset.selected).toBe('');
  });

  it('searches at a key, and comes back to the graph', async () => {
    const root = await show();
    const canvas = root.querySelector('canvas');
    const input = root.querySelector('input');
    canvas?.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }));
    expect(document.activeElement).toBe(input);
    input?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    expect(document.activeElement).toBe(canvas);
  });

  it('leaves nothing behind', async () => {
    await show();
    view.dispose();
    expect(host.children).toHaveLength(0);
  });
});
