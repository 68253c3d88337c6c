/** The graph on a canvas: pans, zooms, hits; draws only when something changed. */

import { computed, effect } from '@preact/signals';
import { at, byte, real } from '../core/arrays.js';
import { canOpen } from '../core/hierarchy.js';
import type { Drawing, Store } from '../core/store.js';
import { Camera } from './camera.js';
import { fateWord } from './facts.js';
import { boxAt } from './hit.js';
import { edgeLabels } from './labels.js';
import { paint } from './paint.js';
import { Faces, litArcs, type Picture } from './picture.js';
import { type BoxPlace, placesOf, topCentre } from './places.js';
import { watchPointer } from './pointer.js';
import { readTheme, type Theme } from './theme.js';

export interface CanvasEvents {
  onPick(item: number): void;
  onToggle(item: number): void;
  onHover(item: number, x: number, y: number): void;
}

export class GraphCanvas {
  readonly camera = new Camera();
  private readonly context: CanvasRenderingContext2D;
  private readonly stops: (() => void)[] = [];
  private theme: Theme;
  /** Made anew when something other than the camera changes. */
  private picture: Picture | null = null;
  private faces: Faces | null = null;
  private readonly labels = computed(() => {
    const drawing = this.store.drawing.value;
    return drawing ? edgeLabels(this.store.graph.value, drawing) : [];
  });
  private hovered = -1;
  private frame = 0;
  private pixelRatio = 1;

  constructor(
    private readonly store: Store,
    private readonly root: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
    private readonly events: CanvasEvents,
  ) {
    const context = canvas.getContext('2d', { alpha: false });
    if (!context) throw new Error('This browser gives no 2D canvas.');
    this.context = context;
    this.theme = readTheme(root);
    this.stops.push(this.watchSize(), this.watchStore(), this.watchPointer());
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    for (const stop of this.stops) stop();
    this.canvas.width = 0;
  }

  get themeKind(): 'light' | 'dark' {
    return this.theme.kind;
  }

  refreshTheme(): void {
    this.theme = readTheme(this.root);
    this.faces = null;
    this.picture = null;
    this.redraw();
  }

  focus(): void {
    this.canvas.focus({ preventScroll: true });
  }

  /** Forget what the pointer was over: the drawing moved under it. */
  clearHover(): void {
    this.hover(-1, -1);
  }

  redraw(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.draw());
  }

  /** Look at a new drawing for the first time. */
  start(): void {
    const drawing = this.store.drawing.value;
    if (!drawing) return;
    this.camera.start(drawing.scene, topCentre(drawing, this.camera.height));
    this.redraw();
  }

  fit(): void {
    const drawing = this.store.drawing.value;
    if (!drawing) return;
    this.camera.fit(drawing.scene);
    this.redraw();
  }

  zoomBy(factor: number): void {
    this.camera.zoomAt(this.camera.width / 2, this.camera.height / 2, factor);
    this.redraw();
  }

  show(item: number): void {
    const drawing = this.store.drawing.value;
    const box = this.boxOf(item);
    if (!drawing || box < 0) return;
    const { scene } = drawing;
    this.camera.show(
      real(scene.x, box),
      real(scene.y, box),
      real(scene.w, box),
      real(scene.h, box),
    );
    this.redraw();
  }

  /** Run a change of the drawing so that an item's upper left corner stays where it is on screen. */
  keepInPlace(item: number): () => void {
    const before = this.cornerOf(item);
    return () => {
      const after = this.cornerOf(item);
      if (!before || !after) return;
      this.camera.x += after.x - before.x;
      this.camera.y += after.y - before.y;
      this.redraw();
    };
  }

  boxOf(item: number): number {
    return this.store.drawing.value?.graph.item.indexOf(item) ?? -1;
  }

  boxes(): BoxPlace[] {
    const drawing = this.store.drawing.value;
    return drawing ? placesOf(this.store.tree.value, drawing, this.camera) : [];
  }

  private cornerOf(item: number): { x: number; y: number } | null {
    const scene = this.store.drawing.value?.scene;
    const box = this.boxOf(item);
    return scene && box >= 0 ? { x: real(scene.x, box), y: real(scene.y, box) } : null;
  }

  private watchSize(): () => void {
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.canvas);
    this.resize();
    return () => observer.disconnect();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0) return; // hidden, say behind another tab: it comes back as it was
    const wasEmpty = this.camera.width === 0;
    this.pixelRatio = globalThis.devicePixelRatio || 1;
    this.canvas.width = Math.round(clientWidth * this.pixelRatio);
    this.canvas.height = Math.round(clientHeight * this.pixelRatio);
    this.camera.resize(clientWidth, clientHeight);
    if (wasEmpty) this.start();
    this.draw();
  }

  private watchStore(): () => void {
    return effect(() => {
      const { drawing, selection, matches, query, values, metric } = this.store;
      void [drawing.value, selection.value, matches.value, query.value, values.value, metric.value];
      this.faces = null;
      this.picture = null;
      this.redraw();
    });
  }

  private watchPointer(): () => void {
    return watchPointer(this.canvas, {
      pan: (dx, dy) => {
        this.camera.pan(dx, dy);
        this.redraw();
      },
      zoom: (x, y, factor) => {
        this.camera.zoomAt(x, y, factor);
        this.redraw();
      },
      click: (x, y) => this.events.onPick(this.itemAt(x, y)),
      doubleClick: (x, y) => {
        const item = this.itemAt(x, y);
        if (item >= 0 && canOpen(this.store.tree.value, item)) this.events.onToggle(item);
      },
      hover: (x, y) => this.hover(x, y),
    });
  }

  private hover(x: number, y: number): void {
    const box = x < 0 ? -1 : this.hit(x, y);
    const item = this.itemOf(box);
    if (box !== this.hovered) {
      this.hovered = box;
      this.picture = null;
      this.redraw();
    }
    this.canvas.style.cursor = item >= 0 ? 'pointer' : 'grab';
    this.events.onHover(item, x, y);
  }

  private hit(x: number, y: number): number {
    const drawing = this.store.drawing.value;
    if (!drawing) return -1;
    const place = this.camera.toScene(x, y);
    return boxAt(drawing, place.x, place.y);
  }

  private itemAt(x: number, y: number): number {
    return this.itemOf(this.hit(x, y));
  }

  private itemOf(box: number): number {
    const graph = this.store.drawing.value?.graph;
    return graph && box >= 0 && box < graph.item.length ? at(graph.item, box) : -1;
  }

  private draw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.picture ??= this.makePicture();
    const { picture } = this;
    if (!picture || this.camera.width === 0) return;
    paint(this.context, this.camera, this.pixelRatio, picture);
    this.root.dataset.boxes = String(picture.drawing.graph.item.length);
    this.root.dataset.ready = '1';
  }

  private makePicture(): Picture | null {
    const { store, theme } = this;
    const drawing = store.drawing.value;
    if (!drawing) return null;
    this.faces ??= new Faces(
      store.tree.value,
      theme,
      store.metric.value,
      store.values.value,
      store.range.value,
      (node) => fateWord(store, node),
    );
    const { item, nodes } = store.selection.value;
    const isOpen = (box: number) => box >= 0 && byte(drawing.graph.isOpen, box) === 1;
    const focusBox = this.boxOf(item);
    const litBox = this.hovered >= 0 && !isOpen(this.hovered) ? this.hovered : focusBox;
    return {
      drawing,
      theme,
      faces: this.faces,
      labels: () => this.labels.value,
      // A group stands for all that is in it.
      selected: canOpen(store.tree.value, item) ? new Set([item]) : this.shownFor(drawing, nodes),
      focused: item,
      hovered: this.hovered,
      matched: store.query.value.trim() ? this.shownFor(drawing, store.matches.value) : null,
      lit: litArcs(drawing, litBox),
    };
  }

  /** The items on screen that show these nodes: their own boxes, or the closed groups around them. */
  private shownFor(drawing: Drawing, nodes: Iterable<number>): ReadonlySet<number> {
    const { itemOfNode, parent } = this.store.tree.value;
    const shown = new Set(drawing.graph.item);
    const found = new Set<number>();
    for (const node of nodes) {
      let item = at(itemOfNode, node);
      while (item > 0 && !shown.has(item)) item = at(parent, item);
      if (item > 0) found.add(item);
    }
    return found;
  }
}
