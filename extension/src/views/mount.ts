/** The one door to the views: put a model's view into an element. */

import { effect } from '@preact/signals';
import { h, render } from 'preact';
import { Store } from '../core/store.js';
import type { Transport } from '../core/transport.js';
import type { ViewDocument } from '../core/wire.gen.js';
import { App } from './app.js';
import { Controller } from './controller.js';
import type { BoxPlace } from './places.js';

export type { BoxPlace } from './places.js';

export interface MountOptions {
  /** Called when the user's selection changes. */
  onSelect?(nodes: number[]): void;
  selected?: number[];
  colourBy?: string;
}

export interface MountedView {
  setDocument(document: ViewDocument): void;
  /** Select nodes and bring the first into view. */
  select(nodes: readonly number[]): void;
  focusNode(node: number): void;
  fit(): void;
  search(query: string): { total: number; index: number };
  /** Go to the next (1) or previous (-1) match. */
  step(delta: number): { total: number; index: number };
  colourBy(key: string | null): void;
  /** Read colours again after the host's theme changed. */
  refreshTheme(): void;
  /** The drawn boxes on screen, in CSS pixels from the canvas's corner. */
  boxes(): BoxPlace[];
  dispose(): void;
}

export function mount(
  element: HTMLElement,
  document: ViewDocument,
  transport: Transport,
  options: MountOptions = {},
): MountedView {
  const root = element.ownerDocument.createElement('div');
  root.className = 'onnxlab-view';
  element.append(root);
  const store = new Store(document);
  const controller = new Controller(store, transport, root);
  if (options.colourBy !== undefined) store.colourKey.value = options.colourBy;
  if (options.selected) store.selectNodes(options.selected);
  store.reveal(store.selection.value.item);
  render(h(App, { controller }), root);
  const stopTelling = tellSelection(store, root, options);
  const stopWatching = watchScheme(() => controller.refreshTheme());
  void controller.requestShapes();
  const found = () => ({ total: store.matches.value.length, index: store.matchIndex.value });
  const view: MountedView = {
    setDocument(next) {
      controller.startAnew();
      store.setDocument(next);
      void controller.requestShapes();
    },
    select: (nodes) => controller.selectNodes(nodes),
    focusNode: (node) => controller.focusNode(node),
    fit: () => controller.fit(),
    search(query) {
      store.search(query);
      return found();
    },
    step(delta) {
      controller.step(delta);
      return found();
    },
    colourBy(key) {
      store.colourKey.value = key;
    },
    refreshTheme: () => controller.refreshTheme(),
    boxes: () => controller.boxes(),
    dispose() {
      stopTelling();
      stopWatching();
      controller.dispose();
      render(null, root);
      root.remove();
    },
  };
  Object.assign(root, { onnxlabView: view }); // for scripts that have only the page
  return view;
}

/** How many rows stand in `data-selected`: enough for tests, not thousands. */
const TOLD_ROWS = 100;

function tellSelection(store: Store, root: HTMLElement, options: MountOptions): () => void {
  let isFirst = true;
  return effect(() => {
    const { nodes } = store.selection.value;
    root.dataset.selected = nodes.slice(0, TOLD_ROWS).join(' ');
    if (!isFirst) {
      options.onSelect?.([...nodes]);
      root.dispatchEvent(
        new CustomEvent('onnxlab:select', {
          detail: { nodes: [...nodes] },
          bubbles: true,
          composed: true,
        }),
      );
    }
    isFirst = false;
  });
}

function watchScheme(onChange: () => void): () => void {
  const query = globalThis.matchMedia?.('(prefers-color-scheme: dark)');
  query?.addEventListener('change', onChange);
  return () => query?.removeEventListener('change', onChange);
}
