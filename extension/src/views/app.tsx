/** The view's frame: one line, toolbar, graph beside panel, table. */

import { plural } from '../core/format.js';
import type { Controller } from './controller.js';
import { Graph } from './graph.js';
import { Panel } from './panel.js';
import { NodeTable } from './table.js';
import { Toolbar } from './toolbar.js';

export function App({ controller }: { controller: Controller }) {
  const { store } = controller;
  return (
    <>
      <Headline controller={controller} />
      <Toolbar controller={controller} />
      <div class="onnxlab-body">
        <Graph controller={controller} />
        <Panel controller={controller} />
      </div>
      {store.isTableOpen.value && <NodeTable controller={controller} />}
    </>
  );
}

function Headline({ controller }: { controller: Controller }) {
  const { store } = controller;
  const { header, findings } = store.document.value;
  return (
    <div class="onnxlab-headline">
      <strong title={header.name}>{header.name}</strong>
      <span title={header.summary}>{header.summary}</span>
      {findings.length > 0 && (
        <button
          type="button"
          class="onnxlab-link"
          onClick={() => {
            store.tab.value = 'findings';
          }}
        >
          {plural(findings.length, 'finding')}
        </button>
      )}
    </div>
  );
}
