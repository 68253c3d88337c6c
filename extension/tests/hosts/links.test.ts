// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { NodeDetail } from '../../src/core/wire.gen.js';
import { linkRows, NodeNames } from '../../src/hosts/report/links.js';

const names = new NodeNames(
  ['0', '1', '1/then_branch/0'].map(
    (address, node) => ({ type: 'node', node, address }) as NodeDetail,
  ),
);

describe('node names', () => {
  it.each([
    ['1/then_branch/0', [2]],
    ['77', []],
    [undefined, []],
  ])('%j means %j', (address, rows) => {
    expect(names.rowsOf(address)).toEqual(rows);
  });
});

describe('linked rows', () => {
  beforeEach(() => {
    document.body.innerHTML =
      '<table><tr data-node="0"></tr><tr data-node="1"></tr><tr data-node="nowhere"></tr></table>';
  });

  const row = (n: number) => document.querySelectorAll<HTMLElement>('tr')[n] as HTMLElement;

  it('select by pointer and by keyboard', () => {
    const onSelect = vi.fn();
    linkRows(names, onSelect);
    row(0).click();
    row(1).dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
    row(2).click();
    expect(onSelect.mock.calls).toEqual([[[0]], [[1]]]);
    expect(row(1).tabIndex).toBe(0);
  });

  it('show the selection, whoever made it', () => {
    const mark = linkRows(names, () => undefined);
    const marked = () => [0, 1, 2].filter((n) => row(n).hasAttribute('data-selected'));
    mark([1, 2]);
    expect(marked()).toEqual([1]);
    mark([]);
    expect(marked()).toEqual([]);
  });
});
