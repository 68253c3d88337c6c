/** Numbers per node, and what a group shows for its nodes. */

import { at, real } from './arrays.js';
import { float64Column } from './document.js';
import type { Unit } from './format.js';
import type { Hierarchy } from './hierarchy.js';
import type { Metric } from './wire.gen.js';

export interface MetricColumn {
  readonly key: string;
  readonly label: string;
  readonly unit: Unit;
  readonly estimated: boolean;
  readonly additive: boolean;
  /** Per node row; NaN where there is none. */
  readonly values: Float64Array;
}

export function metricColumn(metric: Metric): MetricColumn {
  const { key, label, unit, estimated, additive } = metric;
  return { key, label, unit, estimated, additive, values: float64Column(metric.values) };
}

/** Per item: its node's value; for a group the sum, or the most where summing means nothing. */
export function itemValues(tree: Hierarchy, metric: MetricColumn): Float64Array {
  const out = new Float64Array(tree.parent.length).fill(Number.NaN);
  for (let node = 0; node < tree.nodeCount; node++) {
    const item = at(tree.itemOfNode, node);
    if (item >= 0) merge(out, item, real(metric.values, node), metric.additive);
  }
  for (let item = tree.scopeCount; item < tree.parent.length; item++)
    lift(tree, out, item, metric.additive);
  // A group's parent precedes it, so going backwards every group is complete before it is lifted.
  for (let item = tree.scopeCount - 1; item > 0; item--) lift(tree, out, item, metric.additive);
  return out;
}

function lift(tree: Hierarchy, out: Float64Array, item: number, additive: boolean): void {
  const group = at(tree.parent, item);
  if (group >= 0) merge(out, group, real(out, item), additive);
}

function merge(out: Float64Array, item: number, value: number, additive: boolean): void {
  if (Number.isNaN(value)) return;
  const before = real(out, item);
  if (Number.isNaN(before)) out[item] = value;
  else out[item] = additive ? before + value : Math.max(before, value);
}

/** 1 for the node with the most; 0 where the node has no value. */
export function rankOf(metric: MetricColumn, node: number): number {
  const own = real(metric.values, node);
  if (!(own > 0)) return 0;
  let rank = 1;
  for (const value of metric.values) if (value > own) rank++;
  return rank;
}

export function total(metric: MetricColumn): number {
  let sum = 0;
  for (const value of metric.values) if (!Number.isNaN(value)) sum += value;
  return sum;
}

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** What a scale has to span: from the least to the most above zero, at least one decade and at most three. */
export function rangeOf(values: Iterable<number>): Range {
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (const value of values) {
    if (value > most) most = value;
    if (value > 0 && value < least) least = value;
  }
  return { low: Math.max(most / 1000, Math.min(least, most / 10)), high: most };
}
