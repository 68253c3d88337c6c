/** What can be done in a view: the one place where gestures, keys and hosts meet the store. */

import { effect, signal } from '@preact/signals';
import { at, byte, real } from '../core/arrays.js';
import { canOpen } from '../core/hierarchy.js';
import { Layouter } from '../core/layouter.js';
import type { Store } from '../core/store.js';
import { ask, type Transport } from '../core/transport.js';
import type { ShapeColumns } from '../core/wire.gen.js';
import { neighboursOf } from './arcs.js';
import { GraphCanvas } from './graph_canvas.js';

export interface Hover {
  readonly item: number;
  readonly x: number;
  readonly y: number;
}

export type Direction = 'up' | 'down' | 'left' | 'right';

const SHAPES_TIME_OUT_MS = 120_000;

export class Controller {
  readonly hover = signal<Hover>({ item: -1, x: 0, y: 0 });
  readonly isBusy = signal(false);
  readonly themeKind = signal<'light' | 'dark'>('light');
  private readonly layouter = new Layouter();
  private readonly gone = new AbortController();
  private canvas: GraphCanvas | null = null;
  private isNew = true;
  private settle: (() => void) | null = null;
  private stopLayout: (() => void) | null = null;
  focusSearch: () => void = () => {};

  constructor(
    readonly store: Store,
    readonly transport: Transport,
    private readonly root: HTMLElement,
  ) {}

  /** Take over a canvas; from now on the drawing follows the store. */
  attach(element: HTMLCanvasElement): () => void {
    const canvas = new GraphCanvas(this.store, this.root, element, {
      onPick: (item) => this.store.selectItem(item),
      onToggle: (item) => this.toggle(item),
      onHover: (item, x, y) => {
        if (item !== this.hover.value.item || item >= 0) this.hover.value = { item, x, y };
      },
    });
    this.canvas = canvas;
    this.themeKind.value = canvas.themeKind;
    this.stopLayout = effect(() => {
      const graph = this.store.visible();
      void this.relayout(graph);
    });
    return () => {
      this.stopLayout?.();
      canvas.dispose();
      this.canvas = null;
    };
  }

  dispose(): void {
    this.gone.abort();
    this.layouter.dispose();
  }

  /** Draw the next layout as a first look. */
  startAnew(): void {
    this.isNew = true;
  }

  async requestShapes(): Promise<void> {
    if (this.store.document.value.shapes_complete) return;
    const asked = this.store.document.value;
    try {
      const shapes = await ask<ShapeColumns>(
        this.transport,
        { type: 'shapes' },
        this.gone.signal,
        SHAPES_TIME_OUT_MS,
      );
      if (this.store.document.value === asked && !this.gone.signal.aborted)
        this.store.addShapes(shapes);
    } catch (error) {
      if (!this.gone.signal.aborted) this.store.shapesProblem.value = lineOf(error);
    }
  }

  toggle(item: number): void {
    this.settle = this.canvas?.keepInPlace(item) ?? null;
    this.store.setOpen(item, !this.store.open.value.has(item));
  }

  /** Select an item and bring it into view, opening what is around it. */
  focusItem(item: number): void {
    if (item < 0) return;
    this.store.selectItem(item);
    this.bringIntoView(item);
  }

  /** Select nodes and bring the first into view; where they are selected already, nothing moves. */
  selectNodes(nodes: readonly number[]): void {
    const before = this.store.selection.value.nodes;
    if (nodes.length === before.length && nodes.every((node, i) => node === before[i])) return;
    this.store.selectNodes(nodes);
    this.bringIntoView(this.store.selection.value.item);
  }

  focusNode(node: number): void {
    const { itemOfNode, nodeCount } = this.store.tree.value;
    if (node < 0 || node >= nodeCount) return;
    this.store.selectNodes([node]);
    this.bringIntoView(at(itemOfNode, node));
  }

  private bringIntoView(item: number): void {
    this.canvas?.clearHover();
    if (this.store.reveal(item)) this.settle = () => this.canvas?.show(item);
    else this.canvas?.show(item);
  }

  step(delta: number): void {
    const node = this.store.step(delta);
    if (node >= 0) this.focusNode(node);
  }

  /** Out of the selected box to its group; an open group is closed first. */
  climb(): void {
    const { item } = this.store.selection.value;
    if (item < 0) return;
    if (this.store.open.value.has(item) && canOpen(this.store.tree.value, item)) {
      this.toggle(item);
      return;
    }
    const group = at(this.store.tree.value.parent, item);
    if (group > 0) this.focusItem(group);
    else this.store.selectItem(-1);
  }

  enter(): void {
    const { item } = this.store.selection.value;
    if (item >= 0 && canOpen(this.store.tree.value, item)) this.toggle(item);
  }

  /** Along an edge (up, down), or to the nearest box beside. */
  travel(direction: Direction): void {
    const drawing = this.store.drawing.value;
    if (!drawing || !this.canvas) return;
    const box = this.canvas.boxOf(this.store.selection.value.item);
    const next = box < 0 ? this.firstBox() : this.boxTowards(box, direction);
    if (next >= 0) this.focusItem(at(drawing.graph.item, next));
  }

  fit(): void {
    this.canvas?.fit();
  }

  zoomBy(factor: number): void {
    this.canvas?.zoomBy(factor);
  }

  openAll(): void {
    this.settle = () => this.canvas?.start();
    this.store.openAll();
  }

  closeAll(): void {
    this.settle = () => this.canvas?.start();
    this.store.closeAll();
  }

  focusGraph(): void {
    this.canvas?.focus();
  }

  toggleTable(): void {
    this.store.isTableOpen.value = !this.store.isTableOpen.value;
  }

  toggleHelp(): void {
    this.store.isHelpOpen.value = !this.store.isHelpOpen.value;
  }

  refreshTheme(): void {
    this.canvas?.refreshTheme();
    if (this.canvas) this.themeKind.value = this.canvas.themeKind;
  }

  canvasSize(): { width: number; height: number } {
    return this.canvas?.camera ?? { width: 0, height: 0 };
  }

  boxes(): ReturnType<GraphCanvas['boxes']> {
    return this.canvas?.boxes() ?? [];
  }

  private async relayout(graph: ReturnType<Store['visible']>): Promise<void> {
    this.isBusy.value = true;
    const scene = await this.layouter.layout(graph);
    if (!scene || this.gone.signal.aborted) return;
    this.isBusy.value = false;
    this.store.drawing.value = { graph, scene };
    if (this.isNew) {
      this.canvas?.start();
      this.canvas?.show(this.store.selection.value.item);
    } else this.settle?.();
    this.isNew = false;
    this.settle = null;
  }

  private firstBox(): number {
    const drawing = this.store.drawing.value;
    if (!drawing) return -1;
    let first = -1;
    for (let box = 0; box < drawing.graph.item.length; box++) {
      if (first < 0 || real(drawing.scene.y, box) < real(drawing.scene.y, first)) first = box;
    }
    return first;
  }

  private boxTowards(box: number, direction: Direction): number {
    const { scene, graph } = this.store.drawing.value ?? {};
    if (!scene || !graph) return -1;
    const x = real(scene.x, box) + real(scene.w, box) / 2;
    const y = real(scene.y, box) + real(scene.h, box) / 2;
    const isAlongEdge = direction === 'up' || direction === 'down';
    const candidates = isAlongEdge
      ? neighboursOf(scene, box, direction === 'down')
      : Array.from(graph.item, (_, other) => other).filter(
          (other) => !byte(graph.isOpen, other) && other !== box,
        );
    let best = -1;
    let nearest = Number.POSITIVE_INFINITY;
    for (const other of candidates) {
      const dx = real(scene.x, other) + real(scene.w, other) / 2 - x;
      const dy = real(scene.y, other) + real(scene.h, other) / 2 - y;
      if (direction === 'left' && dx >= 0) continue;
      if (direction === 'right' && dx <= 0) continue;
      const distance = Math.abs(dx) + (isAlongEdge ? Math.abs(dy) : 4 * Math.abs(dy));
      if (distance >= nearest) continue;
      nearest = distance;
      best = other;
    }
    return best;
  }
}

/** An error as one sentence. */
export function lineOf(error: unknown): string {
  const line = error instanceof Error ? error.message : String(error);
  return line.split('\n')[0] || 'Something went wrong.';
}
