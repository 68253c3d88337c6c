/** What a view shows, as signals: views read them, only the functions here write them. */

import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { at, byte, real } from './arrays.js';
import { boxSize } from './boxes.js';
import { buildGraph, type Graph, int32Column, withShapes } from './document.js';
import { ancestorsOf, buildHierarchy, canOpen, type Hierarchy, nodesIn } from './hierarchy.js';
import { itemValues, type MetricColumn, metricColumn, type Range, rangeOf } from './metrics.js';
import type { Scene } from './scene.js';
import { search } from './search.js';
import { openAtFirst, type VisibleGraph, visibleGraph } from './visible.js';
import type { ProfileColumns, ShapeColumns, ViewDocument } from './wire.gen.js';

export type Tab = 'node' | 'model' | 'findings';

/** The item that has the focus (-1 for none) and the node rows that are selected. */
export interface Selection {
  readonly item: number;
  readonly nodes: readonly number[];
}

export interface Drawing {
  readonly graph: VisibleGraph;
  readonly scene: Scene;
}

/** A profile with its columns per node row. */
export interface ProfileView {
  readonly profile: ProfileColumns;
  readonly regionOfNode: Int32Array;
  readonly fateOfNode: Uint8Array;
}

const NOTHING: Selection = { item: -1, nodes: [] };

export class Store {
  readonly document: Signal<ViewDocument>;
  readonly graph: Signal<Graph>;
  readonly tree: Signal<Hierarchy>;
  readonly metrics: ReadonlySignal<readonly MetricColumn[]>;
  readonly metric: ReadonlySignal<MetricColumn | null>;
  readonly values: ReadonlySignal<Float64Array | null>;
  /** What the heat scale spans: the values of the boxes that stand. */
  readonly range: ReadonlySignal<Range>;
  readonly colourKey: Signal<string | null>;
  readonly profiles: ReadonlySignal<readonly ProfileView[]>;
  readonly open: Signal<ReadonlySet<number>>;
  readonly drawing: Signal<Drawing | null> = signal(null);
  readonly selection: Signal<Selection> = signal(NOTHING);
  readonly query = signal('');
  readonly matches: ReadonlySignal<Int32Array>;
  readonly matchIndex = signal(-1);
  readonly tab: Signal<Tab> = signal('model');
  readonly isTableOpen = signal(false);
  readonly isHelpOpen = signal(false);
  readonly shapesProblem = signal('');

  constructor(document: ViewDocument) {
    this.document = signal(document);
    this.graph = signal(buildGraph(document.graph));
    this.tree = signal(buildHierarchy(this.graph.value));
    this.metrics = computed(() => this.document.value.metrics.map(metricColumn));
    this.profiles = computed(() => this.document.value.profiles.map(profileView));
    this.colourKey = signal(firstTime(document));
    this.metric = computed(
      () => this.metrics.value.find((m) => m.key === this.colourKey.value) ?? null,
    );
    this.values = computed(
      () => this.metric.value && itemValues(this.tree.value, this.metric.value),
    );
    this.range = computed(() => rangeDrawn(this.values.value, this.drawing.value));
    this.open = signal(openAtFirst(this.tree.value));
    this.matches = computed(() => search(this.graph.value, this.query.value, this.metrics.value));
  }

  setDocument(document: ViewDocument): void {
    batch(() => {
      this.document.value = document;
      this.graph.value = buildGraph(document.graph);
      this.tree.value = buildHierarchy(this.graph.value);
      this.open.value = openAtFirst(this.tree.value);
      this.selection.value = NOTHING;
      this.matchIndex.value = -1;
      this.shapesProblem.value = '';
      if (!this.metric.value) this.colourKey.value = firstTime(document);
    });
  }

  addShapes(shapes: ShapeColumns): void {
    batch(() => {
      this.graph.value = withShapes(this.graph.value, shapes);
      // Shapes change nothing in what stands where.
      this.tree.value = { ...this.tree.value, graph: this.graph.value };
      this.shapesProblem.value = shapes.problem;
    });
  }

  select(selection: Selection): void {
    batch(() => {
      this.selection.value = selection;
      if (selection.item >= 0) this.tab.value = 'node';
    });
  }

  selectItem(item: number): void {
    this.select(item < 0 ? NOTHING : { item, nodes: nodesIn(this.tree.value, item) });
  }

  selectNodes(nodes: readonly number[]): void {
    const known = nodes.filter((node) => node >= 0 && node < this.tree.value.nodeCount);
    const first = known[0];
    this.select(
      first === undefined ? NOTHING : { item: at(this.tree.value.itemOfNode, first), nodes: known },
    );
  }

  setOpen(item: number, isOpen: boolean): void {
    if (!canOpen(this.tree.value, item) || this.open.value.has(item) === isOpen) return;
    const open = new Set(this.open.value);
    if (isOpen) open.add(item);
    else open.delete(item);
    this.open.value = open;
  }

  /** Open the groups around an item; whether any was closed. */
  reveal(item: number): boolean {
    if (item < 0) return false;
    const closed = ancestorsOf(this.tree.value, item).filter(
      (group) => !this.open.value.has(group),
    );
    if (closed.length > 0) this.open.value = new Set([...this.open.value, ...closed]);
    return closed.length > 0;
  }

  openAll(): void {
    const tree = this.tree.value;
    const open = new Set<number>();
    for (let scope = 1; scope < tree.scopeCount; scope++) if (canOpen(tree, scope)) open.add(scope);
    this.open.value = open;
  }

  closeAll(): void {
    this.open.value = new Set();
  }

  search(query: string): void {
    batch(() => {
      this.query.value = query;
      this.matchIndex.value = -1;
    });
  }

  /** Go on to the next or previous match; its node row, -1 where nothing matches. */
  step(delta: number): number {
    const { length } = this.matches.value;
    if (length === 0) return -1;
    const from = this.matchIndex.value < 0 && delta < 0 ? 0 : this.matchIndex.value;
    this.matchIndex.value = (from + delta + length) % length;
    return at(this.matches.value, this.matchIndex.value);
  }

  /** What is to be drawn now. */
  visible(): VisibleGraph {
    const tree = this.tree.value;
    const hasMetrics = this.metrics.value.length > 0;
    return visibleGraph(tree, this.open.value, (item) => boxSize(tree, item, hasMetrics));
  }
}

function rangeDrawn(values: Float64Array | null, drawing: Drawing | null): Range {
  if (!values || !drawing) return rangeOf([]);
  const { item, isOpen } = drawing.graph;
  return rangeOf(
    Float64Array.from(item, (it, box) => (byte(isOpen, box) ? Number.NaN : real(values, it))),
  );
}

function profileView(profile: ProfileColumns): ProfileView {
  return {
    profile,
    regionOfNode: int32Column(profile.node_region),
    fateOfNode: new Uint8Array(profile.node_fate),
  };
}

function firstTime(document: ViewDocument): string | null {
  return document.metrics.find((metric) => metric.unit === 'us')?.key ?? null;
}
