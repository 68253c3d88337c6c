import { describe, expect, it } from 'vitest';
import { at } from '../../src/core/arrays.js';
import { buildHierarchy } from '../../src/core/hierarchy.js';
import { itemValues, type MetricColumn, rangeOf, rankOf, total } from '../../src/core/metrics.js';
import { chain, graphOf } from './graphs.js';

const tree = buildHierarchy(graphOf(chain(4, (i) => `layer.${Math.floor(i / 2)}`)));
const groups = [0, 2].map((node) => at(tree.parent, at(tree.itemOfNode, node)));

function metric(additive: boolean): MetricColumn {
  const values = Float64Array.of(5, Number.NaN, 7, 1);
  return { key: 'time.cpu', label: 'time on cpu', unit: 'us', estimated: false, additive, values };
}

describe('a metric', () => {
  it('adds up in groups', () => {
    const values = itemValues(tree, metric(true));
    expect(groups.map((group) => values[group])).toEqual([5, 8]);
    expect(values[0]).toBe(13);
  });

  it('shows the most where adding means nothing', () => {
    const values = itemValues(tree, metric(false));
    expect(groups.map((group) => values[group])).toEqual([5, 7]);
  });

  it('ranks nodes, those without a number not at all', () => {
    expect([0, 1, 2, 3].map((node) => rankOf(metric(true), node))).toEqual([2, 0, 1, 3]);
    expect(total(metric(true))).toBe(13);
  });

  it('is spread over one to three decades', () => {
    expect(rangeOf([5, Number.NaN, 0, 7])).toEqual({ low: 0.7, high: 7 });
    expect(rangeOf([0.5, 100])).toEqual({ low: 0.5, high: 100 });
    expect(rangeOf([1e-6, 1000])).toEqual({ low: 1, high: 1000 });
    expect(rangeOf([])).toEqual({ low: 0, high: 0 });
  });
});
