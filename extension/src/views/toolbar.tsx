/** Search, colour, and what acts on the whole graph. */

import { useEffect, useRef } from 'preact/hooks';
import { grouped } from '../core/format.js';
import type { Controller } from './controller.js';
import { Icon } from './icons.js';

export function Toolbar({ controller }: { controller: Controller }) {
  const { store } = controller;
  return (
    <div class="onnxlab-toolbar" role="toolbar" aria-label="Graph">
      <Search controller={controller} />
      <ColourBy controller={controller} />
      <span class="onnxlab-spring" />
      <button type="button" title="Close all groups" onClick={() => controller.closeAll()}>
        <Icon name="collapse" />
        <span>Collapse</span>
      </button>
      <button type="button" title="Open all groups" onClick={() => controller.openAll()}>
        <Icon name="expand" />
        <span>Expand</span>
      </button>
      <button type="button" title="Fit the whole graph (f)" onClick={() => controller.fit()}>
        <Icon name="fit" />
        <span>Fit</span>
      </button>
      <button
        type="button"
        title="Table of nodes (t)"
        aria-pressed={store.isTableOpen.value}
        onClick={() => controller.toggleTable()}
      >
        <Icon name="table" />
        <span>Nodes</span>
      </button>
      <button
        type="button"
        title="Keys (?)"
        aria-label="Keys"
        aria-pressed={store.isHelpOpen.value}
        onClick={() => controller.toggleHelp()}
      >
        <Icon name="help" />
      </button>
    </div>
  );
}

function Search({ controller }: { controller: Controller }) {
  const { store } = controller;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    controller.focusSearch = () => {
      input.current?.focus();
      input.current?.select();
    };
  }, [controller]);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Enter') controller.step(event.shiftKey ? -1 : 1);
    if (event.key === 'Escape') {
      store.search('');
      controller.focusGraph();
    }
  };
  return (
    <search class="onnxlab-search">
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        value={store.query.value}
        placeholder="name, op:Conv, shape:1x64, time>1ms"
        aria-label="Search nodes"
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => store.search(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Matches controller={controller} />
    </search>
  );
}

function Matches({ controller }: { controller: Controller }) {
  const { store } = controller;
  if (!store.query.value.trim()) return null;
  const { length } = store.matches.value;
  const all = store.tree.value.nodeCount;
  const index = store.matchIndex.value;
  const text = index < 0 ? `${grouped(length)} of ${grouped(all)}` : `${index + 1} / ${length}`;
  return (
    <span class="onnxlab-matches">
      <output>{text}</output>
      <button
        type="button"
        aria-label="Previous match"
        disabled={length === 0}
        onClick={() => controller.step(-1)}
      >
        <Icon name="previous" />
      </button>
      <button
        type="button"
        aria-label="Next match"
        disabled={length === 0}
        onClick={() => controller.step(1)}
      >
        <Icon name="next" />
      </button>
    </span>
  );
}

function ColourBy({ controller }: { controller: Controller }) {
  const { store } = controller;
  const metrics = store.metrics.value;
  if (metrics.length === 0) return null;
  return (
    <label class="onnxlab-colour">
      <span>Colour by</span>
      <select
        value={store.metric.value?.key ?? ''}
        onChange={(event) => {
          store.colourKey.value = event.currentTarget.value || null;
        }}
      >
        <option value="">kind of operator</option>
        {metrics.map((metric) => (
          <option key={metric.key} value={metric.key}>
            {metric.label}
          </option>
        ))}
      </select>
    </label>
  );
}
