/** Lays out without blocking: small graphs at once, large ones in a worker, in slices where none may start. */

import { WORKER_SOURCE } from './layout.worker.gen.js';
import { layoutScene, type Scene, sceneSteps } from './scene.js';
import type { VisibleGraph } from './visible.js';

const AT_ONCE_BOXES = 600;
const SLICE_MS = 8;

export class Layouter {
  private worker: Worker | null = null;
  private isBlocked = false;
  private lastId = 0;
  private settle: ((scene: Scene | null) => void) | null = null;

  /** The scene, or null where a later request or `dispose` overtook this one. */
  async layout(graph: VisibleGraph): Promise<Scene | null> {
    this.cancel();
    const id = ++this.lastId;
    if (graph.item.length <= AT_ONCE_BOXES) return layoutScene(graph);
    const worker = this.startWorker();
    if (!worker) return this.inSlices(graph, id);
    const scene = await this.inWorker(worker, graph, id);
    // A policy may let the worker be made and block it only when it starts.
    return scene === 'blocked' ? this.inSlices(graph, id) : scene;
  }

  /** Give up what is under way. */
  cancel(): void {
    this.lastId++;
    if (!this.settle) return;
    this.worker?.terminate();
    this.worker = null;
    this.settle(null);
    this.settle = null;
  }

  dispose(): void {
    this.cancel();
    this.worker?.terminate();
    this.worker = null;
  }

  private startWorker(): Worker | null {
    if (this.worker || this.isBlocked || typeof Worker === 'undefined') return this.worker;
    const url = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: 'text/javascript' }));
    try {
      this.worker = new Worker(url);
    } catch {
      this.isBlocked = true;
    } finally {
      URL.revokeObjectURL(url);
    }
    return this.worker;
  }

  private inWorker(
    worker: Worker,
    graph: VisibleGraph,
    id: number,
  ): Promise<Scene | null | 'blocked'> {
    return new Promise((resolve) => {
      this.settle = resolve;
      worker.onmessage = (event: MessageEvent<{ id: number; scene: Scene }>) => {
        if (event.data.id !== id) return;
        this.settle = null;
        resolve(event.data.scene);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        this.settle = null;
        this.isBlocked = true;
        worker.terminate();
        this.worker = null;
        resolve('blocked');
      };
      worker.postMessage({ id, graph });
    });
  }

  private async inSlices(graph: VisibleGraph, id: number): Promise<Scene | null> {
    const steps = sceneSteps(graph);
    let pauseAt = performance.now() + SLICE_MS;
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (performance.now() < pauseAt) continue;
      await new Promise((resolve) => setTimeout(resolve));
      if (id !== this.lastId) return null;
      pauseAt = performance.now() + SLICE_MS;
    }
  }
}
