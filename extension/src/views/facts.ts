/** What is said about a box in a few lines: by the tooltip, the panel and the announcement. */

import { at, byte, real } from '../core/arrays.js';
import { nameOf, opOf, rowsOf, text, typeOf } from '../core/document.js';
import { interval, oneLine, ordinal, plural, quantity } from '../core/format.js';
import { type Hierarchy, ItemKind, kindOf, labelOf, nodeOf, portOf } from '../core/hierarchy.js';
import { rankOf, total } from '../core/metrics.js';
import type { Store } from '../core/store.js';
import type { ProfileColumns, Region } from '../core/wire.gen.js';

export interface Facts {
  /** The op, or what kind of thing it is. */
  readonly title: string;
  readonly name: string;
  /** Sentences about time and fate. */
  readonly lines: readonly string[];
  /** Types of what comes out. */
  readonly types: readonly string[];
}

const MOST_TYPES = 4;

export function factsOf(store: Store, item: number): Facts {
  const tree = store.tree.value;
  const kind = kindOf(tree, item);
  if (kind === ItemKind.PORT) return portFacts(tree, item);
  const node = nodeOf(tree, item);
  const lines = measured(store, item);
  if (kind === ItemKind.GROUP && at(tree.size, item) > 0)
    lines.push(plural(at(tree.size, item), 'node'));
  if (node < 0) return { title: 'Group', name: oneLine(labelOf(tree, item)), lines, types: [] };
  const { graph } = tree;
  return {
    title: opOf(graph, node),
    name: oneLine(nameOf(graph, node)),
    lines: [...lines, ...fates(store, node)],
    types: Array.from(rowsOf(graph.nodeOutputs, node))
      .filter((value) => value >= 0)
      .slice(0, MOST_TYPES)
      .map((value) => typeOf(graph, value))
      .filter(Boolean),
  };
}

function portFacts(tree: Hierarchy, item: number): Facts {
  const port = portOf(tree, item);
  const values = Array.from(port?.values ?? []);
  const what = port?.output ? 'output' : 'input';
  return {
    title: values.length > 1 ? plural(values.length, what) : what,
    name: oneLine(
      values.length === 1
        ? text(tree.graph, at(tree.graph.valueName, values[0] ?? 0))
        : (port?.label ?? ''),
    ),
    lines: [],
    types: [...new Set(values.map((value) => typeOf(tree.graph, value)))]
      .filter(Boolean)
      .slice(0, MOST_TYPES),
  };
}

/** "0.41 ms · 8.5 % · 2nd of 177" for the metric that colours. */
function measured(store: Store, item: number): string[] {
  const metric = store.metric.value;
  const values = store.values.value;
  if (!metric || !values) return [];
  const value = real(values, item);
  if (!Number.isFinite(value)) return [];
  const parts = [quantity(value, metric.unit, metric.estimated)];
  const sum = metric.additive ? total(metric) : 0;
  if (sum > 0 && metric.unit !== 'share')
    parts.push(quantity(value / sum, 'share', metric.estimated));
  const tree = store.tree.value;
  const rank = kindOf(tree, item) === ItemKind.NODE ? rankOf(metric, item - tree.scopeCount) : 0;
  if (rank > 0) parts.push(`${ordinal(rank)} of ${tree.nodeCount}`);
  return [`${parts.join(' · ')} (${metric.label})`];
}

export interface Fate {
  readonly profile: ProfileColumns;
  readonly fate: string;
  readonly region: Region | null;
}

/** What became of a node, per profile. */
export function fatesOf(store: Store, node: number): Fate[] {
  return store.profiles.value.map(({ profile, regionOfNode, fateOfNode }) => ({
    profile,
    fate: profile.fates[byte(fateOfNode, node)] ?? 'unknown',
    region: profile.regions[at(regionOfNode, node)] ?? null,
  }));
}

const SENTENCES: Readonly<Record<string, string>> = {
  folded: 'computed once, when the session was made',
  eliminated: 'removed: it has no effect',
  deduplicated: 'an equal node stands for it',
  inlined: 'its body stands for it',
  dead: 'reaches no output',
  'not executed': 'no run reached it',
  unknown: 'what became of it is unknown',
};

const WORDS: Readonly<Record<string, string>> = {
  region: 'fused',
  folded: 'folded',
  eliminated: 'removed',
  deduplicated: 'shared',
  inlined: 'inlined',
  dead: 'unused',
  'not executed': 'not run',
};

/** In place of a time: why a node has none of its own. Empty where the metric is not of a profile. */
export function fateWord(store: Store, node: number): string {
  const key = store.metric.value?.key ?? '';
  const own = fatesOf(store, node).find(({ profile }) => key.endsWith(`.${profile.label}`));
  return own ? (WORDS[own.fate] ?? '') : '';
}

export function fateSentence({ profile, fate, region }: Fate): string {
  if (region) return `ran as ${region.label} on ${profile.label}`;
  return `on ${profile.label}: ${SENTENCES[fate] ?? fate}`;
}

function fates(store: Store, node: number): string[] {
  return fatesOf(store, node).map(fateSentence);
}

/** "4.81 ms (4.76-4.88)". */
export function wallTime({ wall }: ProfileColumns): string {
  return interval(wall.value, wall.low, wall.high, 'us');
}
