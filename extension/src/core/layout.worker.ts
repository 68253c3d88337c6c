/** Runs in a Web Worker that is started from a Blob: lays out one visible graph per message. */

import { layoutScene } from './scene.js';
import type { VisibleGraph } from './visible.js';

interface WorkerScope {
  onmessage: ((event: MessageEvent<{ id: number; graph: VisibleGraph }>) => void) | null;
  postMessage(message: unknown): void;
}

const scope = self as unknown as WorkerScope;

scope.onmessage = (event) => {
  const { id, graph } = event.data;
  scope.postMessage({ id, scene: layoutScene(graph) });
};
