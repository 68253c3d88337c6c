/** The view's frame: one line, toolbar, graph, panel, table. */

import type { Controller } from './controller.js';
import { Graph } from './graph.js';

export function App({ controller }: { controller: Controller }) {
  return (
    <>
      <div class="onnxlab-headline">{controller.store.document.value.header.summary}</div>
      <Graph controller={controller} />
    </>
  );
}
