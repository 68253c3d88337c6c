/** What stands around and above the canvas: breadcrumbs, tooltip, legend, the list of keys. */

import { at } from '../core/arrays.js';
import { FAMILIES, FAMILY_COLOURS, FAMILY_LABELS, familyOf, heat } from '../core/colour.js';
import { opOf } from '../core/document.js';
import { elide, oneLine, quantity } from '../core/format.js';
import { ancestorsOf, labelOf } from '../core/hierarchy.js';
import type { Controller } from './controller.js';
import { factsOf } from './facts.js';
import { KEYS } from './keys.js';

const CRUMB_LIMIT = 28;

/** Where the selected box is: each part selects its group. */
export function Breadcrumbs({ controller }: { controller: Controller }) {
  const { store } = controller;
  const { item } = store.selection.value;
  const tree = store.tree.value;
  const path = item < 0 ? [] : [...ancestorsOf(tree, item), item];
  return (
    <nav class="onnxlab-crumbs" aria-label="Groups around the selection">
      <button type="button" onClick={() => store.selectItem(-1)}>
        model
      </button>
      {path.map((group) => (
        <span key={group}>
          {' › '}
          <button
            type="button"
            title={labelOf(tree, group)}
            onClick={() => controller.focusItem(group)}
          >
            {elide(oneLine(labelOf(tree, group)), CRUMB_LIMIT)}
          </button>
        </span>
      ))}
    </nav>
  );
}

const TOOLTIP_WIDTH = 340;

export function Tooltip({ controller }: { controller: Controller }) {
  const { item, x, y } = controller.hover.value;
  if (item < 0) return null;
  const facts = factsOf(controller.store, item);
  const { width, height } = controller.canvasSize();
  const left = Math.max(4, Math.min(x + 14, width - TOOLTIP_WIDTH - 4));
  const place = y > height / 2 ? { bottom: `${height - y + 12}px` } : { top: `${y + 18}px` };
  return (
    <div
      class="onnxlab-tooltip"
      style={{ left: `${left}px`, maxWidth: `${TOOLTIP_WIDTH}px`, ...place }}
    >
      <div>
        <strong>{facts.title}</strong> <span class="onnxlab-code">{elide(facts.name, 200)}</span>
      </div>
      {facts.lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
      {facts.types.map((type) => (
        <div key={type} class="onnxlab-code">
          {type}
        </div>
      ))}
    </div>
  );
}

export function Legend({ controller }: { controller: Controller }) {
  const { store } = controller;
  const theme = controller.themeKind.value;
  const metric = store.metric.value;
  if (!metric) return <Families controller={controller} />;
  const { low, high } = store.range.value;
  if (!(high > 0)) return <div class="onnxlab-legend">no box has a number for {metric.label}</div>;
  const steps = Array.from({ length: 9 }, (_, i) => heat(i / 8, theme)).join(', ');
  return (
    <div class="onnxlab-legend">
      <span>{metric.label}</span>
      <span class="onnxlab-heat" style={{ background: `linear-gradient(to right, ${steps})` }} />
      <span>
        {quantity(low, metric.unit, metric.estimated)} …{' '}
        {quantity(high, metric.unit, metric.estimated)} (log)
      </span>
    </div>
  );
}

function Families({ controller }: { controller: Controller }) {
  const graph = controller.store.graph.value;
  const colours = FAMILY_COLOURS[controller.themeKind.value];
  const ops = new Set(graph.nodeOp);
  const present = new Set(Array.from(ops, (op) => familyOf(graph.strings[op] ?? '')));
  return (
    <div class="onnxlab-legend">
      {FAMILIES.filter((family) => present.has(family)).map((family) => (
        <span key={family}>
          <i style={{ background: colours[family] }} />
          {FAMILY_LABELS[family]}
        </span>
      ))}
    </div>
  );
}

export function Keys({ controller }: { controller: Controller }) {
  if (!controller.store.isHelpOpen.value) return null;
  return (
    <dl class="onnxlab-keys" aria-label="Keys">
      {KEYS.map(([key, what]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{what}</dd>
        </div>
      ))}
      <div>
        <dt>wheel</dt>
        <dd>zoom, once the graph has the focus (or with Ctrl)</dd>
      </div>
    </dl>
  );
}

/** What a screen reader says about the selection. */
export function Announcement({ controller }: { controller: Controller }) {
  const { store } = controller;
  const { item, nodes } = store.selection.value;
  const facts = item >= 0 ? factsOf(store, item) : null;
  const where =
    item >= 0 && at(store.tree.value.parent, item) > 0
      ? ` in ${labelOf(store.tree.value, at(store.tree.value.parent, item))}`
      : '';
  const first = nodes[0];
  const index =
    nodes.length === 1 && first !== undefined
      ? `, ${opOf(store.graph.value, first)} ${first + 1} of ${store.tree.value.nodeCount}`
      : '';
  return (
    <div class="onnxlab-announcement" aria-live="polite">
      {facts ? `${facts.title} ${facts.name}${where}${index}. ${facts.lines.join('. ')}` : ''}
    </div>
  );
}
