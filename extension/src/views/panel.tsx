/** The side panel: the selected node, the model, the findings. */

import type { Tab } from '../core/store.js';
import type { Controller } from './controller.js';
import { FindingsPanel } from './findings_panel.js';
import { ModelPanel } from './model_panel.js';
import { NodePanel } from './node_panel.js';

export function Panel({ controller }: { controller: Controller }) {
  const { store } = controller;
  const findings = store.document.value.findings.length;
  const tabs: readonly (readonly [Tab, string])[] = [
    ['node', 'Node'],
    ['model', 'Model'],
    ['findings', findings > 0 ? `Findings ${findings}` : 'Findings'],
  ];
  const current = store.tab.value;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const index = tabs.findIndex(([tab]) => tab === current);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (next) store.tab.value = next[0];
    const list = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => list.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
  };
  return (
    <aside class="onnxlab-panel-side" aria-label="Details">
      <div class="onnxlab-tabs" role="tablist" onKeyDown={onKeyDown}>
        {tabs.map(([tab, label]) => (
          <button
            type="button"
            key={tab}
            role="tab"
            aria-selected={tab === current}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => {
              store.tab.value = tab;
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <div class="onnxlab-tabpanel" role="tabpanel">
        {current === 'node' && <NodePanel controller={controller} />}
        {current === 'model' && <ModelPanel controller={controller} />}
        {current === 'findings' && <FindingsPanel controller={controller} />}
      </div>
    </aside>
  );
}
